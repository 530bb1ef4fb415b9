import { describe, expect, it } from 'vitest'
import type { Delivery } from '#electron/listener/journal.ts'
import type { RelayStore } from '#electron/relay/store.ts'

/** Opens the store of one test again and again, always with the same data. */
export interface StoreUnderTest {
  open(): Promise<RelayStore>
}

const all = { items: 1_000, bytes: Infinity }

export const delivery = (text: string, receivedMs = 1_000): Delivery => ({
  receivedMs,
  verdict: 'signed',
  secretId: 'secret-1',
  remote: '192.0.2.1',
  headersJson: JSON.stringify([['x-webhook-signature', 'ab']]),
  body: Buffer.from(text),
})

const many = (count: number) =>
  Array.from({ length: count }, (_one, at) => delivery(`body ${at + 1}`, 1_000 + at))

/** What every store of a relay must do. `create` gives an empty one. */
export function storeContract(name: string, create: () => StoreUnderTest): void {
  describe(`${name} as a relay's store`, () => {
    it('numbers deliveries from 1, in order and without skipping one', async () => {
      const store = await create().open()
      expect(await store.extent()).toMatchObject({ firstSeq: 1, lastSeq: 0 })
      expect(await store.append([delivery('a'), delivery('b')])).toEqual([1, 2])
      const together = await Promise.all([store.append([delivery('c')]), store.append([delivery('d')])])
      expect(together.flat().sort()).toEqual([3, 4])
      expect(await store.extent()).toMatchObject({ firstSeq: 1, lastSeq: 4 })
      await store.close()
    })

    it('returns every byte and field', async () => {
      const store = await create().open()
      const binary = {
        ...delivery(''),
        body: Buffer.from([0, 255, 13, 10]),
        verdict: 'unsigned' as const,
        secretId: null,
      }
      await store.append([binary, delivery('second')])
      const rows = await store.readAfter(0, all)
      expect(rows.map(({ seq }) => seq)).toEqual([1, 2])
      const { seq: _seq, ...first } = rows[0]!
      expect({ ...first, body: Buffer.from(first.body) }).toEqual(binary)
      await store.close()
    })

    it('keeps deliveries, numbers and id over a restart', async () => {
      const test = create()
      const before = await test.open()
      await before.append(many(3))
      await before.close()
      const after = await test.open()
      expect(after.id).toBe(before.id)
      expect((await after.readAfter(1, all)).map(({ seq }) => seq)).toEqual([2, 3])
      expect(await after.append([delivery('next')])).toEqual([4])
      await after.close()
    })

    it('reads a limited number and amount, at least one', async () => {
      const store = await create().open()
      await store.append(many(5))
      const numbers = async (after: number, items: number, bytes: number) =>
        (await store.readAfter(after, { items, bytes })).map(({ seq }) => seq)
      expect(await numbers(0, 2, Infinity)).toEqual([1, 2])
      expect(await numbers(2, 10, 12)).toEqual([3, 4])
      expect(await numbers(2, 10, 1)).toEqual([3])
      expect(await numbers(5, 10, 100)).toEqual([])
      await store.close()
    })

    it('drops up to a number, but never the newest, and numbers on', async () => {
      const test = create()
      let store = await test.open()
      await store.append(many(300))
      expect(await store.dropUpTo(250)).toBe(250)
      expect((await store.readAfter(0, all))[0]!.seq).toBe(251)
      expect(await store.extent()).toMatchObject({ firstSeq: 251, lastSeq: 300 })
      expect(await store.dropUpTo(1_000)).toBe(49)
      expect((await store.readAfter(0, all)).map(({ seq }) => seq)).toEqual([300])
      await store.close()
      store = await test.open()
      expect(await store.append([delivery('next')])).toEqual([301])
      await store.close()
    })

    it('erases what may be erased, but never the newest, and keeps the numbers', async () => {
      const test = create()
      let store = await test.open()
      await store.append(many(4))
      expect((await store.readAfter(0, all)).length).toBe(4)
      const isAllowed = (seq: number, body: Buffer) => seq !== 3 && body.toString() === `body ${seq}`
      expect(await store.erase([1, 2, 3, 4, 9], isAllowed)).toBe(2)
      expect(await store.erase([1, 2], isAllowed)).toBe(0)
      const left = async () =>
        (await store.readAfter(0, all)).flatMap(({ seq, body }) => (body.length > 0 ? [seq] : []))
      expect(await left()).toEqual([3, 4])
      await store.close()
      store = await test.open()
      expect(await left()).toEqual([3, 4])
      expect(await store.extent()).toMatchObject({ lastSeq: 4 })
      await store.close()
    })

    it('takes less room after a drop', async () => {
      const store = await create().open()
      await store.append(Array.from({ length: 64 }, () => delivery('x'.repeat(16_384))))
      const { bytes } = await store.extent()
      expect(bytes).toBeGreaterThan(64 * 16_384)
      await store.dropUpTo(48)
      expect((await store.extent()).bytes).toBeLessThan(bytes / 2)
      await store.close()
    })

    it('calls back when there is more to read', async () => {
      const store = await create().open()
      let calls = 0
      const stop = store.onGrew(() => calls++)
      await store.append([delivery('a')])
      expect(calls).toBeGreaterThan(0)
      expect(await store.readAfter(0, all)).toHaveLength(1)
      stop()
      const before = calls
      await store.append([delivery('b')])
      expect(calls).toBe(before)
      await store.close()
    })

    it('records when the relay listened, and that it crashed', async () => {
      const test = create()
      const before = await test.open()
      before.beginListening(8_787)
      before.touch()
      before.endListening('closed')
      before.beginListening(8_787)
      await before.close()
      const after = await test.open()
      expect((await after.listening(0)).map(({ endReason }) => endReason)).toEqual(['closed', 'crashed'])
      after.beginListening(8_787)
      const [, , running] = await after.listening(0)
      expect(running).toMatchObject({ endedMs: null, endReason: null })
      expect(await after.listening(running!.startedMs + 60_000)).toHaveLength(1)
      await after.close()
    })
  })
}
