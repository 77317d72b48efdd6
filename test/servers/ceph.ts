/** A real S3 of its own for a test file: a Ceph cluster of one, in memory, with its gateway; on loopback, gone at the end. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { AwsClient } from 'aws4fetch'
import { remove } from '../remove.ts'
import { freePort } from './port.ts'

/** Where the packages were unpacked, when they are not installed. */
const PREFIX = process.env['CEPH_PREFIX'] ?? ''
const program = (name: string): string => `${PREFIX}/usr/bin/${name}`
const PROGRAMS = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']

export const hasCeph = process.platform === 'linux' && PROGRAMS.every((name) => fs.existsSync(program(name)))

if (!hasCeph)
  process.stderr.write(
    '\nNO CEPH HERE: tests over a real S3 are left out; apt-get install ceph-mon, ceph-osd, radosgw\n\n',
  )

export const KEYS = { AWS_ACCESS_KEY_ID: 'tester', AWS_SECRET_ACCESS_KEY: 'a secret of tests' }

export interface S3 {
  readonly endpoint: string
  stop(): void
}

/** With an empty bucket called `bucket`. */
export async function startCeph(): Promise<S3> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'steadfold-ceph-'))
  const [mon1, mon2, gateway] = [await freePort(), await freePort(), await freePort()]
  const conf = path.join(dir, 'ceph.conf')
  const children: ChildProcess[] = []
  const run = (name: string, ...args: readonly string[]) =>
    execFileSync(program(name), [...args, '-c', conf], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] })
  const begin = (name: string, ...args: readonly string[]) =>
    children.push(spawn(program(name), ['-c', conf, ...args, '-f'], { cwd: dir, stdio: 'ignore' }))
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
    remove(dir)
  }
  const [cluster, osd] = [randomUUID(), randomUUID()]
  const address = `[v2:127.0.0.1:${mon1},v1:127.0.0.1:${mon2}]`
  fs.writeFileSync(conf, settings(dir, cluster, { address, gateway }))
  for (const name of ['mon', 'osd', 'run']) fs.mkdirSync(path.join(dir, name))
  try {
    const keyring = path.join(dir, 'keyring')
    execFileSync(program('ceph-authtool'), [keyring, '--create-keyring'], { stdio: 'ignore' })
    for (const caps of KEYRING)
      execFileSync(program('ceph-authtool'), [keyring, '--gen-key', ...caps], { stdio: 'ignore' })
    const map = path.join(dir, 'monmap')
    execFileSync(program('monmaptool'), ['--create', '--fsid', cluster, '--addv', 'a', address, map], {
      stdio: 'ignore',
    })
    run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring)
    begin('ceph-mon', '-i', 'a')
    run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd)
    run('ceph', 'osd', 'new', osd)
    begin('ceph-osd', '-i', '0')
    begin('radosgw', '-n', 'client.rgw')
    const { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret } = KEYS
    const user = ['--uid=tester', '--display-name=tester', `--access-key=${key}`, `--secret=${secret}`]
    run('radosgw-admin', '-n', 'client.rgw', 'user', 'create', ...user)
    await bucketAt(`http://127.0.0.1:${gateway}`)
  } catch (error) {
    stop()
    throw error
  }
  return { endpoint: `http://127.0.0.1:${gateway}`, stop }
}

const KEYRING = [
  ['-n', 'mon.', '--cap', 'mon', 'allow *'],
  ['-n', 'client.admin', '--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'],
  ['-n', 'osd.0', '--cap', 'mon', 'allow profile osd', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow profile osd'],
  ['-n', 'client.rgw', '--cap', 'mon', 'allow rw', '--cap', 'osd', 'allow rwx'],
]

async function bucketAt(endpoint: string): Promise<void> {
  const client = new AwsClient({
    accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
    secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
    service: 's3',
    region: 'us-east-1',
    retries: 0,
  })
  for (let tries = 0; tries < 1200; tries++) {
    const made = await client.fetch(`${endpoint}/bucket`, { method: 'PUT' }).catch(() => undefined)
    if (made?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no S3 answers at ${endpoint}`)
}

function settings(dir: string, cluster: string, at: { readonly address: string; readonly gateway: number }): string {
  const libraries = `${PREFIX}/usr/lib/x86_64-linux-gnu`
  const unpacked = `osd class dir = ${libraries}/rados-classes
erasure code dir = ${libraries}/ceph/erasure-code
plugin dir = ${libraries}/ceph`
  return `[global]
fsid = ${cluster}
mon host = ${at.address}
public addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon data avail crit = 0
mon cluster log file = /dev/null
osd objectstore = memstore
memstore device bytes = 268435456
osd crush chooseleaf type = 0
run dir = ${dir}/run
admin socket = ${dir}/run/$name.asok
pid file = ${dir}/run/$name.pid
log file = /dev/null
mon data = ${dir}/mon
osd data = ${dir}/osd
keyring = ${dir}/keyring
${PREFIX === '' ? '' : unpacked}
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${at.gateway}
`
}
