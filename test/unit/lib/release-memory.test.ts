import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { releaseMemoryAfterStart } from '#electron/lib/release-memory.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'

test('collects unused objects once after the start, and leaves the collector unreachable', async () => {
  const clock = createFakeClock()
  const unused = new WeakRef({})
  releaseMemoryAfterStart(clock)
  await clock.advance(10_000)
  expect(unused.deref()).toBeUndefined()
  expect(clock.pending()).toBe(0)
  expect(runInNewContext('typeof gc')).toBe('undefined')
})
