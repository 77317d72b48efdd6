import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from './binary.ts'

let place: Place
let home: string
beforeEach(() => {
  place = new Place()
  home = path.join(place.dir, 'home of ana')
  fs.mkdirSync(home)
})
afterEach(() => place.remove())

const run = (...args: readonly string[]) => place.runWith({ env: { HOME: home, XDG_STATE_HOME: '' } }, ...args)
const write = (file: string, bytes: string | Buffer, mode = 0o600) => {
  const whole = path.join(home, file)
  fs.mkdirSync(path.dirname(whole), { recursive: true })
  fs.writeFileSync(whole, bytes, { mode })
  return whole
}

test('Codex is told to wait for the end of a session, and for a turn that is broken off, no longer than it does', () => {
  expect(run('install', 'codex', '--user').status).toBe(0)
  const { hooks } = JSON.parse(fs.readFileSync(path.join(home, '.codex/hooks.json'), 'utf8')) as {
    readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly timeout: number }[] }[]>>
  }
  const timeouts = Object.entries(hooks).map(([name, [group]]) => [name, group?.hooks[0]?.timeout])
  expect(timeouts.filter(([, timeout]) => timeout !== 10)).toEqual([
    ['Interrupt', 3],
    ['SessionEnd', 3],
  ])
  expect(Object.keys(hooks)).toEqual(expect.arrayContaining(['SubagentStart', 'SubagentStop']))
})

const SETTINGS = '// mine\r\n{\r\n\t"model": "opus",\r\n\t"hooks": {"Stop": [{"hooks": []}]},\r\n}'

describe.each(['claude', 'codex', 'gemini'])('%s', (agent) => {
  const files =
    { claude: ['settings.json'], codex: ['hooks.json', 'config.toml'], gemini: ['settings.json'] }[agent] ?? []

  test('uninstall gives back every byte, mode and owner, and install twice is install once', () => {
    const before = files.map((name) =>
      write(`.${agent}/${name}`, name.endsWith('toml') ? 'model = "o3" # mine' : SETTINGS, 0o640),
    )
    const was = before.map((file) => fs.readFileSync(file))
    // Only root may say that they are somebody else's.
    const [uid, gid] = process.getuid?.() === 0 ? [1234, 1235] : [process.getuid?.(), process.getgid?.()]
    for (const file of before) fs.chownSync(file, uid ?? 0, gid ?? 0)
    expect(run('install', agent, '--user').status).toBe(0)
    expect(before.every((file, i) => !fs.readFileSync(file).equals(was[i] ?? Buffer.alloc(0)))).toBe(true)
    expect(run('install', agent, '--user').out).toBe('nothing to do\n')
    expect(run('uninstall', agent, '--user').status).toBe(0)
    for (const [i, file] of before.entries()) {
      expect(fs.readFileSync(file).equals(was[i] ?? Buffer.alloc(0))).toBe(true)
      expect(fs.statSync(file)).toMatchObject({ uid, gid, mode: 0o100640 })
    }
    expect(run('uninstall', agent, '--user').out).toBe('nothing to do\n')
  })

  test('B4 what was not there is made, and gone again with the folder that was made for it', () => {
    const folder = path.join(place.dir, `.${agent}`)
    for (const again of [false, true]) {
      if (again) fs.mkdirSync(folder)
      expect(run('install', agent, '--project').status).toBe(0)
      expect(run('install', agent, '--project', '--gate').status).toBe(0)
      expect(fs.readdirSync(folder).length).toBe(files.length)
      expect(run('uninstall', agent).status).toBe(0)
      expect(fs.existsSync(folder)).toBe(again)
    }
  })

  test.each([true, false])('B3 what is made in place of a file that somebody removed goes again; theirs: %s', (own) => {
    const theirs = own ? files.map((name) => write(`.${agent}/${name}`, '')) : []
    expect(run('install', agent, '--user').status).toBe(0)
    const folder = path.join(home, `.${agent}`)
    fs.rmSync(folder, { recursive: true })
    expect(run('install', agent, '--user').status).toBe(0)
    expect(run('uninstall', agent, '--user').status).toBe(0)
    expect([fs.existsSync(folder), theirs.some((file) => fs.existsSync(file))]).toEqual([false, false])
  })

  test('B4 a folder that was made stays with what others put into it', () => {
    expect(run('install', agent, '--user').status).toBe(0)
    const theirs = write(`.${agent}/theirs`, 'kept')
    expect(run('uninstall', agent, '--user').status).toBe(0)
    expect(fs.readdirSync(path.dirname(theirs))).toEqual(['theirs'])
  })

  test('a dry run shows the change and changes nothing', () => {
    const { out, status } = run('install', agent, '--user', '--dry-run')
    expect(status).toBe(0)
    expect(out).toContain('hook.sh')
    expect(out).toContain('would be changed')
    expect(fs.readdirSync(home)).toEqual([])
  })
})

describe('opencode', () => {
  const file = '.config/opencode/plugins/steadfold.js'

  test('a plugin is a file of its own, that comes, is renewed and goes', () => {
    const whole = path.join(home, file)
    expect(run('install', 'opencode', '--user', '--dry-run').out).toContain('would be changed')
    expect(fs.readdirSync(home)).toEqual([])
    expect(run('install', 'opencode', '--user').status).toBe(0)
    expect(fs.readFileSync(whole, 'utf8')).toContain('"gate":false')
    expect(run('install', 'opencode', '--user', '--gate').status).toBe(0)
    expect(fs.readFileSync(whole, 'utf8')).toContain('"gate":true')
    expect(run('install', 'opencode', '--user', '--gate').out).toBe('nothing to do\n')
    expect(run('uninstall', 'opencode', '--user').status).toBe(0)
    expect(fs.existsSync(whole)).toBe(false)
    expect(run('install', 'opencode').status).toBe(0)
    expect(fs.readdirSync(path.join(place.dir, '.opencode/plugins'))).toEqual(['steadfold.js'])
    expect(run('uninstall', 'opencode').status).toBe(0)
    expect(fs.existsSync(path.join(place.dir, '.opencode'))).toBe(false)
  })

  test('one that was changed since goes as well, and one of somebody else stays', () => {
    run('install', 'opencode', '--user')
    fs.appendFileSync(path.join(home, file), '// a word of mine\n')
    expect(run('uninstall', 'opencode', '--user').status).toBe(0)
    expect(fs.existsSync(path.join(home, file))).toBe(false)
    const theirs = write(file, 'export const Mine = async () => ({})\n')
    expect(run('install', 'opencode', '--user')).toMatchObject({ status: 4, err: expect.stringContaining(theirs) })
    expect(run('uninstall', 'opencode', '--user').out).toBe('nothing to do\n')
    expect(fs.readFileSync(theirs, 'utf8')).toContain('Mine')
  })

  test.each([
    ['XDG_CONFIG_HOME', 'opencode/plugins/steadfold.js'],
    ['OPENCODE_CONFIG_DIR', 'plugins/steadfold.js'],
  ])('it goes where %s says', (name, under) => {
    const env = { HOME: home, XDG_STATE_HOME: '', [name]: path.join(home, 'elsewhere') }
    expect(place.runWith({ env }, 'install', 'opencode', '--user').status).toBe(0)
    expect(fs.existsSync(path.join(home, 'elsewhere', under))).toBe(true)
  })
})

describe('files that live on', () => {
  test('of two folders that are called the same from where one stands, each is its own', () => {
    const folders = ['one', 'two'].map((name) => path.join(home, name))
    const inEach = (word: string) =>
      folders.map((cwd) => {
        fs.mkdirSync(cwd, { recursive: true })
        const env = { HOME: home, XDG_STATE_HOME: '', CLAUDE_CONFIG_DIR: 'conf' }
        return place.runWith({ env, cwd }, word, 'claude', '--user').status
      })
    expect([inEach('install'), inEach('uninstall')].flat()).toEqual([0, 0, 0, 0])
    expect(folders.flatMap((folder) => fs.readdirSync(folder))).toEqual([])
  })

  test('a file that was changed since keeps the change, and only our entries go', () => {
    const file = write('.claude/settings.json', '{"model": "opus"}')
    run('install', 'claude', '--user')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('opus', 'haiku'))
    expect(run('uninstall', 'claude', '--user').status).toBe(0)
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({ model: 'haiku' })
  })

  test.each([undefined, '{"model": "opus"}\n'])('what was changed between two installs stays: %j before', (before) => {
    const file = path.join(home, '.claude/settings.json')
    if (before !== undefined) write('.claude/settings.json', before)
    expect(run('install', 'claude', '--user').status).toBe(0)
    const allowed = fs.readFileSync(file, 'utf8').replace(/\{/, '{"permissions": {"allow": ["Bash(ls)"]},')
    fs.writeFileSync(file, allowed)
    expect(run('install', 'claude', '--user', '--gate').status).toBe(0)
    expect(run('uninstall', 'claude', '--user').status).toBe(0)
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({
      permissions: { allow: ['Bash(ls)'] },
      ...(before === undefined ? {} : { model: 'opus' }),
    })
  })

  test('J2 a server that an install from elsewhere put in is replaced, with what was set on it; one of yours stays', () => {
    const elsewhere = path.join(place.dir, 'old/dist/steadfold.cjs')
    const file = path.join(home, '.gemini/settings.json')
    const moved = (text: string) => text.replaceAll(PROGRAM, elsewhere)
    const words = () => {
      const { mcpServers } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
        readonly mcpServers: { readonly steadfold: { readonly command: string; readonly args: readonly string[] } }
      }
      return [mcpServers.steadfold.command, ...mcpServers.steadfold.args]
    }
    const ours = ['sh', '-c', expect.any(String), PROGRAM, path.dirname(process.execPath), 'mcp', '--session', 'one']
    expect(run('install', 'gemini', '--user').status).toBe(0)
    fs.writeFileSync(file, moved(fs.readFileSync(file, 'utf8')).replace('"mcp"', '"mcp", "--session", "one"'))
    expect(run('install', 'gemini', '--user').status).toBe(0)
    expect(words()).toEqual(ours)
    expect(run('install', 'gemini', '--user').out).toBe('nothing to do\n')
    // As earlier versions put it there.
    const { mcpServers, ...rest } = JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly mcpServers: object }
    const earlier = { steadfold: { command: 'node', args: [elsewhere, 'mcp', '--session', 'one'], trust: true } }
    fs.writeFileSync(file, JSON.stringify({ mcpServers: { ...mcpServers, ...earlier }, ...rest }))
    expect(run('install', 'gemini', '--user').status).toBe(0)
    expect(words()).toEqual(ours)
    expect(fs.readFileSync(file, 'utf8')).toContain('"trust":true')
    expect(run('uninstall', 'gemini', '--user').status).toBe(0)
    const mine = JSON.stringify({ mcpServers: { steadfold: { command: 'node', args: [elsewhere, 'mcp'] } } })
    fs.writeFileSync(file, mine)
    for (let i = 0; i < 2; i++) expect(run('install', 'gemini', '--user').status).toBe(0)
    expect(words()).toEqual(['node', elsewhere, 'mcp'])
    expect(run('uninstall', 'gemini', '--user').status).toBe(0)
    expect(fs.readFileSync(file, 'utf8')).toBe(mine)
  })

  test('a link to the settings stays a link', () => {
    const real = write('dotfiles/claude.json', '{}')
    fs.mkdirSync(path.join(home, '.claude'))
    fs.symlinkSync(real, path.join(home, '.claude/settings.json'))
    expect(run('install', 'claude', '--user').status).toBe(0)
    expect(fs.lstatSync(path.join(home, '.claude/settings.json')).isSymbolicLink()).toBe(true)
    run('uninstall', 'claude', '--user')
    expect(fs.readFileSync(real, 'utf8')).toBe('{}')
  })

  test('a link that leads nowhere is refused and stays', () => {
    const link = path.join(home, '.gemini/settings.json')
    fs.mkdirSync(path.dirname(link))
    fs.symlinkSync('../dotfiles/gone.json', link)
    const { status, err } = run('install', 'gemini', '--user')
    expect(status).toBe(4)
    expect(err).toContain(`${link} is a link to a file that is not there`)
    expect(fs.readlinkSync(link)).toBe('../dotfiles/gone.json')
  })

  test.each([
    ['of the settings', '.claude', 'cannot read'],
    ['of the copies', '.local', 'cannot keep a copy in'],
  ])('a file where the folder %s belongs is named, and nothing is changed', (_name, file, said) => {
    write(file, 'mine')
    const { status, err } = run('install', 'claude', '--user')
    expect(status).toBe(3)
    expect(err).toContain(said)
    expect(fs.readdirSync(home)).toEqual([file])
  })

  test('B1 what a file was before is known also after the disk took no more', () => {
    const file = write('.claude/settings.json', SETTINGS)
    expect(run('install', 'claude', '--user').status).toBe(0)
    const again = ['install', 'claude', '--user', '--gate']
    const full = ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, PROGRAM, ...again]
    expect(spawnSync('sh', full, { env: plainEnv({ HOME: home, XDG_STATE_HOME: '' }) }).status).toBe(8)
    expect([run(...again).status, run('uninstall', 'claude', '--user').status]).toEqual([0, 0])
    expect(fs.readFileSync(file, 'utf8')).toBe(SETTINGS)
  })

  test('where the copy is gone, our entries are taken out', () => {
    const file = write('.claude/settings.json', '{"model": "opus"}')
    run('install', 'claude', '--user')
    fs.rmSync(path.join(home, '.local/state/steadfold/installed'), { recursive: true })
    expect(run('uninstall', 'claude', '--user').status).toBe(0)
    expect(fs.readFileSync(file, 'utf8')).toBe('{"model": "opus"}')
    run('install', 'claude', '--user')
    const kept = path.join(home, '.local/state/steadfold/installed')
    for (const name of fs.readdirSync(kept)) if (name.endsWith('.before')) fs.rmSync(path.join(kept, name))
    expect(run('uninstall', 'claude', '--user').status).toBe(0)
    expect(fs.readFileSync(file, 'utf8')).toBe('{"model": "opus"}')
  })

  test.each([
    ['no JSON', Buffer.from('{"a": ')],
    ['no text', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a list', Buffer.from('[]')],
    ['servers in a list', Buffer.from('{"mcpServers": [{"name": "mine"}]}')],
  ])('a file that holds %s is refused with exit 4 and stays', (_name, bytes) => {
    const file = write('.gemini/settings.json', bytes)
    const { status, err } = run('install', 'gemini', '--user')
    expect(status).toBe(4)
    expect(err).toContain(file)
    expect(fs.readFileSync(file).equals(bytes)).toBe(true)
  })

  test('settings of Gemini CLI among its hooks are no events, and stay', () => {
    const text = '{"hooks": {"enabled": true, "disabled": ["slow"], "notifications": false}}'
    const file = write('.gemini/settings.json', text)
    expect(run('install', 'gemini', '--user')).toMatchObject({ status: 0, err: '' })
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({
      hooks: { enabled: true, disabled: ['slow'], notifications: false, SessionStart: [{}] },
    })
    expect(run('uninstall', 'gemini', '--user').status).toBe(0)
    expect(fs.readFileSync(file, 'utf8')).toBe(text)
  })

  test('two places at once are an error of usage, and so is an agent that is not known', () => {
    expect(run('install', 'claude', '--user', '--project').status).toBe(64)
    expect(run('install', 'nobody').status).toBe(64)
  })
})
