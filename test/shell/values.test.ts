import * as fs from 'node:fs'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseFacts } from '../../src/drivers/files/fact.ts'
import { Spool, type Fact } from '../../src/drivers/files/spool.ts'
import { HOSTILE } from './hostile.ts'
import { Place, shells, type Shell } from './shells.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

const facts = (): readonly Fact[] => new Spool({ root: place.root, now: Date.now }).list()
const spooled = () => fs.readdirSync(path.join(place.root, 'spool')).map((name) => path.join(place.root, 'spool', name))
const values = () => facts().map((fact) => `${fact.name}=${fact.value.toString('latin1')}`)

/**
 * Every value goes from a file through set, spool and get into another file. The script's own `%` needs the C locale:
 * bash 5.2 takes a broken string apart wrongly in UTF-8.
 */
const ROUND_TRIP = `
i=0
while [ -e "v$i" ]; do
  value=$(cat "v$i"; printf x)
  LC_ALL=C
  value=\${value%x}
  LC_ALL=$LOCALE
  steadfold_set "K$i" "$value" || exit
  steadfold_get "K$i" back || exit
  printf '%s' "$back" >"back$i"
  i=$((i + 1))
done`

function roundTrip(shell: Shell, bytes: readonly Buffer[], locale: string): void {
  bytes.forEach((value, i) => fs.writeFileSync(place.file(`v${i}`), value))
  expect(place.run(shell, ROUND_TRIP, { LC_ALL: locale, LOCALE: locale })).toEqual({ status: 0, out: '', err: '' })
  const spooled = facts().map(({ value }) => value.toString('latin1'))
  const back = bytes.map((_, i) => fs.readFileSync(place.file(`back${i}`)).toString('latin1'))
  const wanted = bytes.map((value) => value.toString('latin1'))
  expect(spooled).toEqual(wanted)
  expect(back).toEqual(wanted)
}

describe.each(shells)('values of a shell in $name', (shell) => {
  const run = (script: string, env?: Readonly<Record<string, string>>) => place.run(shell, script, env)

  test.each(['C', 'C.UTF-8'])('H1: hostile values come back byte for byte and nothing runs, in locale %s', (locale) => {
    roundTrip(shell, HOSTILE, locale)
    expect(fs.existsSync(place.file('pwned'))).toBe(false)
  })

  test.each(['C', 'C.UTF-8'])('H1: any bytes but NUL come back, in locale %s', (locale) => {
    const value = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constantFrom(...Buffer.from('\n#end\'"\\$`'))),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(fc.array(value, { minLength: 50, maxLength: 50 }), (batch) => {
        place.remove()
        place = new Place()
        roundTrip(
          shell,
          batch.map((bytes) => Buffer.from(bytes)),
          locale,
        )
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })

  test('H1: a name is checked, so that none can be a program', () => {
    const names = [
      '',
      'a b',
      'x;touch pwned',
      '$(touch pwned)',
      '../x',
      '1a',
      '-n',
      'a=b',
      'ä',
      '__proto__',
      'n'.repeat(257),
    ]
    for (const name of names) {
      const { status, err } = run('steadfold_set "$NAME" x || exit; steadfold_get "$NAME"', { NAME: name })
      expect({ name, status, error: err.startsWith('error: ') }).toEqual({ name, status: 4, error: true })
    }
    expect(run('steadfold_set a 1; steadfold_get a "x;touch pwned"').status).toBe(64)
    expect(fs.existsSync(place.file('pwned'))).toBe(false)
    expect(values()).toEqual(['a=1'])
  })

  test('H1: names with dots and hyphens are kept apart', () => {
    const script =
      'for n in a.b a-b a_b a_db a.b-c_d a__b a_.b; do steadfold_set $n "$n"; done\n' +
      'for n in a.b a-b a_b a_db a.b-c_d a__b a_.b; do steadfold_get $n; done'
    expect(run(script).out).toBe('a.b\na-b\na_b\na_db\na.b-c_d\na__b\na_.b\n')
  })

  test('H2: setting and getting start no process', () => {
    const script =
      'PATH=/nowhere\nsteadfold_set a "x\ny"; steadfold_get a; append_workflow_state B "$(steadfold_get a)"; steadfold_get B'
    expect(run(script)).toEqual({ status: 0, out: 'x\ny\nx\ny\n', err: '' })
    expect(values()).toEqual(['a=x\ny', 'B=x\ny'])
  })

  test('H2: a value may be larger than what a program is started with', () => {
    const script =
      'v=$(head -c 300000 /dev/zero | tr "\\0" x); steadfold_set a "$v" && steadfold_get a back; printf "%s\\n" "${#back}"'
    expect(run(script)).toEqual({ status: 0, out: '300000\n', err: '' })
    expect(facts().map(({ value }) => value.length)).toEqual([300_000])
  })

  test('H3: facts are private whatever the umask and noclobber say, and both stay as they were', () => {
    const script =
      'umask 000; set -C; steadfold_set a 1; steadfold_set a 2; umask; case $- in *C*) echo noclobber ;; esac\n' +
      'set +C; umask 027; (steadfold_set a 3); umask; case $- in *C*) ;; *) echo clobber ;; esac'
    expect(run(script).out).toMatch(/^0?000\nnoclobber\n0?027\nclobber\n$/)
    expect(spooled().map((file) => fs.statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
  })

  test('H3: no beginning of a file is taken for more facts than it holds, whatever the values hold', () => {
    const small = HOSTILE.filter((value) => value.length < 100)
    roundTrip(shell, small, 'C')
    const whole = fs.readFileSync(spooled()[0] ?? '')
    const all = parseFacts('w', whole).records.map(({ fact }) => fact.value)
    expect(all).toEqual(small)
    for (let length = 0; length < whole.length; length++) {
      const { records, rest } = parseFacts('w', whole.subarray(0, length))
      const whole_ = records.every(({ fact }, i) => fact.value.equals(all[i] ?? Buffer.from('other')))
      expect(whole_ && rest !== 'malformed' && records.length < all.length).toBe(true)
    }
  })

  test('H3: a long-lived shell begins a new file now and then', () => {
    const script = 'steadfold_set k 1; _steadfold_count=100000998; for i in 2 3 4; do steadfold_set k $i; done'
    expect(run(script).status).toBe(0)
    expect(spooled()).toHaveLength(2)
    expect(values()).toEqual(['k=1', 'k=2', 'k=3', 'k=4'])
  })

  test('H3: a spool that is missing is made private, and one that is a link is refused', () => {
    fs.rmdirSync(path.join(place.root, 'spool'))
    expect(run('umask 000; steadfold_set a 1').status).toBe(0)
    expect(fs.statSync(path.join(place.root, 'spool')).mode & 0o777).toBe(0o700)
    fs.renameSync(path.join(place.root, 'spool'), place.file('elsewhere'))
    fs.symlinkSync(place.file('elsewhere'), path.join(place.root, 'spool'))
    expect(run('steadfold_set a 2').status).toBe(8)
    expect(fs.readdirSync(place.file('elsewhere'))).toHaveLength(1)
  })

  test('H3: a link that was planted under the next name is not written through', () => {
    const script =
      '_steadfold_find; _steadfold_enter; ln -s "$PWD/victim" ".steadfold/spool/$_steadfold_stem-100000.facts"\n' +
      'steadfold_set a 1; echo "$?"; steadfold_set a 2; echo "$?"'
    expect(run(script).out).toBe('8\n0\n')
    expect(fs.existsSync(place.file('victim'))).toBe(false)
    expect(values()).toEqual(['a=2'])
  })

  test('H3: a value that cannot be written is an error with exit status 8', () => {
    const done = run(
      'ulimit -f 1; trap "" XFSZ 2>/dev/null; steadfold_set a "$(printf %070000d 1)"; echo "status $?"; steadfold_get a',
    )
    expect(done.out).toContain('status 8')
    expect(facts()).toEqual([])
  })

  test('H4: facts of a shell and its subshells are in the order they were set', () => {
    const script =
      'steadfold_set k 1; (steadfold_set k 2; (steadfold_set k 3); steadfold_set k 4); (steadfold_set k 5)\n' +
      'x=$(steadfold_set k 6); steadfold_set k 7; printf y | { read -r y || :; steadfold_set k 8; }; steadfold_set k 9\n' +
      'f() { steadfold_set k "$1"; }; f 10; (f 11); f 12'
    expect(run(script).status).toBe(0)
    const order = Array.from({ length: 12 }, (_, i) => `k=${i + 1}`)
    expect(values()).toEqual(order)
    // A coarse clock gives all of them the same time.
    for (const file of spooled())
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^at: .*$/gm, 'at: 1700000000.5'))
    expect(values()).toEqual(order)
  })

  test('H4: shells that follow each other are in order', () => {
    for (let i = 0; i < 12; i++) run(`steadfold_set k ${i}`)
    expect(values()).toEqual(Array.from({ length: 12 }, (_, i) => `k=${i}`))
  })

  test('H3: no fact of many subshells, jobs and shells at once is lost, mixed or out of order', () => {
    const large = 'z'.repeat(20_000)
    const script =
      'for job in 1 2 3 4 5 6 7 8; do (n=0; while [ $n -lt 25 ]; do steadfold_set "j$job" "$n $LARGE"; n=$((n + 1)); done) & done; ' +
      'n=0; while [ $n -lt 25 ]; do steadfold_set j0 "$n $LARGE"; n=$((n + 1)); done; wait'
    expect(run(script, { LARGE: large })).toEqual({ status: 0, out: '', err: '' })
    const seen = new Map<string, string[]>()
    for (const { name, value } of facts()) seen.set(name, [...(seen.get(name) ?? []), value.toString()])
    expect([...seen.keys()].sort()).toEqual(Array.from({ length: 9 }, (_, i) => `j${i}`))
    for (const list of seen.values()) {
      expect(list).toEqual(Array.from({ length: 25 }, (_, n) => `${n} ${large}`))
    }
  })

  test('H3: an id is never used again, though files are taken away meanwhile', () => {
    const script = `round() { for f in .steadfold/spool/*.facts; do printf '%s ' "\${f##*/}" $(grep '^n: ' "$f"); echo; rm "$f"; done; }
i=0; while [ $i -lt 5 ]; do (steadfold_set k 1); round; steadfold_set k 2; round; i=$((i + 1)); done`
    const ids = run(script).out.trim().split('\n')
    expect(ids).toHaveLength(10)
    expect(new Set(ids).size).toBe(10)
  })

  test('H3: without /proc it works as well', () => {
    const script =
      '_steadfold_proc=/nonexistent\nsteadfold_set k 1; (steadfold_set k 2); umask 022; steadfold_set k 3; umask; steadfold_get k'
    expect(run(script)).toEqual({ status: 0, out: expect.stringMatching(/^0?022\n3\n$/), err: '' })
    expect(values()).toEqual(['k=1', 'k=2', 'k=3'])
  })
})
