import { expect, test } from 'vitest'
import { readAgainMs } from '../../../../../renderer/src/features/templates/report-words.ts'

test.each([
  ['a small send', 100, 0, 1_000],
  ['a send of thousands', 5_000, 0, 5_000],
  ['a large send', 100_000, 0, 30_000],
  ['ten minutes without change', 100, 600_000, 32_000],
  ['a second later', 100, 601_000, 32_000],
  ['days without change', 100_000, 200_000_000, 120_000],
])('reads the reports of %s again after a pause', (_name, messages, unchangedMs, pauseMs) => {
  expect(readAgainMs(messages, unchangedMs)).toBe(pauseMs)
})
