import { expect, test } from 'vitest'
import { createStoredReading } from '#electron/core/live/listener/stored-reading.ts'

test('asks for what was stored at the start at once, and for later deliveries within seconds', () => {
  let [lastSeq, readSeq, nowMs] = [5, 3, 0]
  const reading = createStoredReading(
    () => ({ lastSeq, readSeq }),
    { monotonic: () => nowMs },
    () => {},
  )
  const at = (last: number, read: number, ms: number) => {
    ;[lastSeq, readSeq, nowMs] = [last, read, ms]
    return reading.isRead()
  }
  expect(at(5, 3, 0)).toBe(false)
  expect(at(7, 5, 100)).toBe(true)
  // Read on while more arrives.
  expect(at(9, 7, 9_000)).toBe(true)
  expect(at(11, 9, 18_000)).toBe(true)
  // Nothing becomes an event any longer.
  expect(at(15, 9, 27_999)).toBe(true)
  expect(at(16, 9, 28_000)).toBe(false)
  expect(at(16, 16, 29_000)).toBe(true)
  reading.expectMore()
  expect(reading.isRead()).toBe(false)
  reading.readStored()
  expect(reading.isRead()).toBe(true)
})
