import { expect, test } from 'vitest'
import { createDeliveryCounts } from '#electron/listener/delivery-counts.ts'
import type { Delivery } from '#electron/listener/journal.ts'
import { createRefusalRing, type KeptRefusal } from '#electron/listener/refusals.ts'

const refusal = (atMs: number, bodyBytes = 0): KeptRefusal => ({
  sample: {
    atMs,
    reason: 'path',
    status: 404,
    remote: '127.0.0.1',
    method: 'POST',
    path: '/',
    sizeBytes: bodyBytes,
  },
  headers: [['host', 'here']],
  body: Buffer.alloc(bodyBytes),
  receivedSignature: null,
})

test('keeps the last 2,000 refusals, newest first, and counts all', () => {
  const ring = createRefusalRing()
  for (let at = 1; at <= 2_500; at++) ring.add(refusal(at))
  const samples = ring.samples()
  expect(samples).toHaveLength(2_000)
  expect([samples[0]!.atMs, samples.at(-1)!.atMs]).toEqual([2_500, 501])
  expect(ring.find(samples.at(-1)!.id)?.sample.atMs).toBe(501)
  expect(ring.find('500-500')).toBeUndefined()
  expect(ring.total()).toBe(2_500)
  expect(ring.counts()).toEqual({ path: 2_500 })
})

test('drops more old ones for large bodies, never over 16 MiB', () => {
  const ring = createRefusalRing()
  for (let at = 1; at <= 1_000; at++) ring.add(refusal(at, 64 * 1024))
  const kept = ring.samples().length
  expect(kept).toBeGreaterThan(240)
  expect(kept).toBeLessThanOrEqual(256)
  expect(ring.samples()[0]!.atMs).toBe(1_000)
  expect(ring.total()).toBe(1_000)
})

test('doesn’t count a rejected delivery whose body was also stored', () => {
  const counts = createDeliveryCounts(() => {})
  const refuse = (text: string) =>
    counts.refused({
      ...refusal(1),
      sample: { ...refusal(1).sample, reason: 'signature-mismatch' },
      body: Buffer.from(text),
    })
  const store = (text: string) =>
    counts.stored([{ secretId: 's', receivedMs: 1, body: Buffer.from(text) } as unknown as Delivery])
  for (const text of ['STOP 1', 'STOP 1', 'STOP 2']) refuse(text)
  expect(counts.read().unproven).toBe(3)
  store('STOP 1')
  expect(counts.read().unproven).toBe(1)
  store('STOP 3')
  refuse('STOP 3')
  expect(counts.read()).toMatchObject({ unproven: 1, refusedTotal: 4 })
  counts.secretsChanged()
  expect(counts.read().unproven).toBe(1)
  expect(counts.refusals.unproven().map(({ body }) => String(body))).toEqual(['STOP 2'])
  for (let junk = 0; junk < 2_000; junk++) counts.refused(refusal(junk, 64 * 1024))
  expect(counts.refusals.unproven(), 'unsigned junk displaces none').toHaveLength(1)
  store('STOP 2')
  expect(counts.read().unproven).toBe(0)
})
