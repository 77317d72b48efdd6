import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EngineError } from '../../src/kernel/error.ts'
import { Chain, START } from '../../src/kernel/log/chain.ts'
import { SEAL_OP } from '../../src/kernel/log/commit.ts'
import { replay } from '../../src/kernel/log/replay.ts'
import type { Log, Position } from '../../src/kernel/ports.ts'
import { clusters, drivers } from './drivers.ts'
import { chainOf, line, sha256, together } from './kit.ts'

/** What every store of logs must do, whatever it is made of. */
for (const driver of [...drivers, ...clusters]) {
  describe(driver.name, () => {
    let log: Log
    let server: { stop(): Promise<void> } | undefined
    beforeAll(async () => {
      server = await driver.server?.()
    })
    afterAll(() => server?.stop())
    beforeEach(async () => {
      log = await driver.open()
      await log.create('s')
    })
    afterEach(() => log.close())

    const append = async (lines: ReturnType<typeof chainOf>, after: Position, session = 's') =>
      log.append(session, together(...lines), after, { durability: 'durable' })

    async function appended(count: number, after: Position = START, tag = ''): Promise<Position> {
      const answer = await append(chainOf(count, after, tag), after)
      if (answer.kind === 'conflict') throw new Error('conflict')
      await answer.durable
      return answer.position
    }

    async function contents(session = 's'): Promise<readonly unknown[]> {
      const chain = new Chain(START, sha256)
      const values: unknown[] = []
      for await (const commits of replay(log, session, chain)) {
        for (const commit of commits) values.push(commit.events[0]?.data)
      }
      return values
    }

    test('a new session is there and empty', async () => {
      expect(await log.exists('s')).toBe(true)
      expect(await log.exists('t')).toBe(false)
      expect(await contents()).toEqual([])
    })

    test('creating a session twice changes nothing', async () => {
      await appended(2)
      await log.create('s')
      expect(await contents()).toHaveLength(2)
    })

    test('L2 what was appended is read back in order, byte for byte', async () => {
      const lines = chainOf(3, START)
      await append(lines, START)
      const chunks: Buffer[] = []
      for await (const chunk of log.read('s', START)) chunks.push(Buffer.from(chunk.bytes))
      expect(Buffer.concat(chunks).toString()).toBe(lines.map((each) => each.line).join(''))
    })

    test('L4 an append behind a stale position is a conflict and adds nothing', async () => {
      await appended(1, START, 'first')
      expect(await append(chainOf(1, START, 'second'), START)).toEqual({ kind: 'conflict' })
      expect(await contents()).toHaveLength(1)
    })

    test('L4 of two appends behind one position one wins', async () => {
      const answers = await Promise.all([append(chainOf(2, START, 'a'), START), append(chainOf(2, START, 'b'), START)])
      expect(answers.map(({ kind }) => kind).sort()).toEqual(['appended', 'conflict'])
      expect(await contents()).toHaveLength(2)
    })

    test('a reader starts where its position says', async () => {
      const position = await appended(3)
      await appended(2, position)
      const chain = new Chain(position, sha256)
      const seqs: number[] = []
      for await (const commits of replay(log, 's', chain)) seqs.push(...commits.map(({ seq }) => seq))
      expect(seqs).toEqual([4, 5])
    })

    test('a reader goes on from wherever it stands in a long log, whatever others write between', async () => {
      await log.create('r')
      const stands: Position[] = [START]
      let other: Position = START
      for (let i = 0; i < 40; i++) {
        stands.push(await appended(2, stands.at(-1)))
        const answer = await append(chainOf(1, other), other, 'r')
        if (answer.kind === 'appended') other = answer.position
      }
      await log.release?.('s')
      for (const position of [40, 39, 20, 3, 1, 0].map((i) => stands[i] ?? START)) {
        const chain = new Chain(position, sha256)
        let first: number | undefined
        for await (const commits of replay(log, 's', chain)) first ??= commits[0]?.seq
        expect(chain.position).toEqual(stands.at(-1))
        expect(first).toBe(position.seq === 80 ? undefined : position.seq + 1)
        if (position.seq > 0) expect(await log.stands('s', position)).toBe('yes')
      }
    })

    test('L4 three megabytes in one append are kept, and read back', async () => {
      const lines: ReturnType<typeof chainOf>[number][] = []
      for (let i = 1; i <= 30; i++) lines.push(line(i, lines.at(-1)?.hash ?? START.hash, 'x'.repeat(100_000)))
      const answer = await append(lines, START)
      expect(answer).toMatchObject({ kind: 'appended', position: { seq: 30 } })
      expect(await contents()).toHaveLength(30)
      if (answer.kind === 'appended') expect(await log.stands('s', answer.position)).toBe('yes')
    })

    test('a seal ends a segment; the log goes on in the next', async () => {
      const position = await appended(2)
      const sealed = await append([line(3, position.hash, 3, SEAL_OP)], position)
      if (sealed.kind === 'conflict') throw new Error('conflict')
      expect(sealed.position).toMatchObject({ seq: 3, segment: 4, offset: 0 })
      const after = await appended(2, sealed.position)
      expect(after).toMatchObject({ seq: 5, segment: 4 })
      expect(await contents()).toHaveLength(5)
    })

    test('L4 a writer that has not seen the seal conflicts', async () => {
      const position = await appended(1)
      await append([line(2, position.hash, 2, SEAL_OP)], position)
      expect(await append(chainOf(1, position, 'late'), position)).toEqual({ kind: 'conflict' })
    })

    test('a look says whether anything stands behind a position', async () => {
      expect(await log.peek('s', START)).toHaveLength(0)
      const position = await appended(1)
      expect(await log.peek('s', START)).not.toHaveLength(0)
      expect(await log.peek('s', position)).toHaveLength(0)
    })

    test('stands tells a position of this log from a foreign and a longer one', async () => {
      const position = await appended(2)
      expect(await log.stands('s', position)).toBe('yes')
      expect(await log.stands('s', { ...position, hash: 'f'.repeat(64) })).toBe('no')
      expect(await log.stands('s', { ...position, seq: 9, offset: position.offset + 100 })).toBe('short')
    })

    test('stands knows the position behind a seal', async () => {
      const position = await appended(1)
      const sealed = await append([line(2, position.hash, 2, SEAL_OP)], position)
      if (sealed.kind === 'conflict') throw new Error('conflict')
      expect(await log.stands('s', sealed.position)).toBe('yes')
    })

    test('a watcher is called after an append', async () => {
      let ring: () => void = () => undefined
      const rung = new Promise<void>((resolve) => (ring = resolve))
      const stop = log.watch('s', ring)
      await appended(1)
      await rung
      stop()
    })

    test('sessions are listed in order and apart', async () => {
      await log.create('r')
      await appended(1)
      const names: string[] = []
      for await (const name of log.list()) names.push(name)
      expect(names).toEqual(['r', 's'])
      expect(await contents('r')).toEqual([])
    })

    test('what is asked of a session that is not there fails with its code', async () => {
      const failure = append(chainOf(1, START), START, 'missing')
      await expect(failure).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' } satisfies Partial<EngineError>)
    })

    test('a turn is given and given back', async () => {
      const turn = await log.turn('s', 9)
      turn.release()
      ;(await log.turn('s', 9)).release()
    })

    test('a checkpoint is kept, replaced and deleted', async ({ skip }) => {
      skip(!log.supports.checkpoints, 'this driver keeps none')
      expect(await log.checkpoints?.get('s')).toBeUndefined()
      await log.checkpoints?.put('s', [Buffer.from('one')])
      await log.checkpoints?.put('s', [Buffer.from('t'), Buffer.from('wo')])
      expect((await log.checkpoints?.get('s'))?.toString()).toBe('two')
      await log.checkpoints?.delete('s')
      expect(await log.checkpoints?.get('s')).toBeUndefined()
    })

    test('a blob is kept under its hash', async ({ skip }) => {
      skip(!log.supports.blobs, 'this driver keeps none')
      const bytes = Buffer.from('large value')
      const hash = await log.blobs?.put('s', bytes)
      expect(hash).toBe(sha256(bytes))
      expect(await log.blobs?.put('s', bytes)).toBe(hash)
      expect((await log.blobs?.get('s', hash ?? ''))?.toString()).toBe('large value')
      expect(await log.blobs?.get('s', '0'.repeat(64))).toBeUndefined()
    })
  })
}
