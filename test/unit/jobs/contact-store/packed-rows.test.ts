import { expect, test } from 'vitest'
import { createRowPacker } from '#electron/jobs/contact-store/packed-rows.ts'

test('is full after many numbers of contacts without a row', () => {
  const packer = createRowPacker(2)
  let added = 0
  while (!packer.isFull && added < 1_000) packer.addOthers(++added, [1])
  expect(added).toBeLessThan(1_000)
  expect(packer.take().others).toHaveLength(2 * added)
  expect(packer.isFull).toBe(false)
})
