/* Three NATS servers, each in a network namespace of its own on one bridge, so that one can be cut off from the others. */
import { spawnSync } from 'node:child_process'
import { hasNats, startAt, type Node, type Servers } from './nats.ts'

const COUNT = 3

export interface Apart extends Servers {
  /** The server keeps its clients, but reaches no other server; the answer heals it. */
  cutOff(node: Node): () => void
}

function ip(...words: readonly string[]): boolean {
  return spawnSync('ip', words, { stdio: 'ignore' }).status === 0
}

function must(...words: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`)
}

/** Root, `ip`, and a kernel that makes namespaces and bridges. */
export const canCutOff = hasNats && makesNamespaces()

if (!canCutOff) {
  process.stderr.write(
    '\nNO NETWORK NAMESPACES HERE: the partition of NATS is left out; it needs root, iproute2 and a kernel that lets it\n\n',
  )
  if (process.env['CI'] !== undefined && process.getuid?.() === 0 && !ip('-V'))
    throw new Error('CI has no ip: see .ci/run')
}

function makesNamespaces(): boolean {
  const name = `sfd${process.pid}`
  const made = ip('netns', 'add', name) && ip('link', 'add', name, 'type', 'bridge')
  ip('link', 'del', name)
  ip('netns', 'del', name)
  return made
}

export async function startApart(): Promise<Apart> {
  const bridge = `sfd${process.pid}`
  const net = `10.199.${process.pid % 250}`
  const spaces = Array.from({ length: COUNT }, (_, i) => `${bridge}-${i}`)
  const remove = () => {
    for (const space of spaces) ip('netns', 'del', space)
    ip('link', 'del', bridge)
  }
  try {
    must('link', 'add', bridge, 'type', 'bridge')
    must('addr', 'add', `${net}.254/24`, 'dev', bridge)
    must('link', 'set', bridge, 'up')
    for (const [i, space] of spaces.entries()) join(bridge, space, `${net}.${i + 1}`, i)
    const seats = spaces.map((space, i) => ({
      host: `${net}.${i + 1}`,
      port: 4222,
      routes: 6222,
      within: ['ip', 'netns', 'exec', space],
    }))
    const servers = await startAt(seats, '')
    const others = (node: Node) => servers.nodes.filter((each) => each !== node).map(({ address }) => address)
    const route = (action: 'add' | 'del', node: Node) => {
      const space = spaces[servers.nodes.indexOf(node)] ?? ''
      for (const address of others(node)) must('-n', space, 'route', action, 'blackhole', address.replace(/:.*/, ''))
    }
    return {
      ...servers,
      stop: async () => {
        await servers.stop()
        remove()
      },
      cutOff: (node) => {
        route('add', node)
        return () => route('del', node)
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

function join(bridge: string, space: string, address: string, i: number): void {
  const end = `${bridge}v${i}`
  must('netns', 'add', space)
  must('link', 'add', end, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
  must('link', 'set', end, 'master', bridge, 'up')
  must('-n', space, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  must('-n', space, 'link', 'set', 'eth0', 'up')
  must('-n', space, 'link', 'set', 'lo', 'up')
}
