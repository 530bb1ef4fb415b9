import { expect, test } from 'vitest'
import { forecastSend } from '#electron/core/people/templates/send-forecast.ts'

const hourMs = 3_600_000
const hours = { fromMinute: 9 * 60, toMinute: 20 * 60 }
const at = (text: string) => Date.parse(`2026-01-${text}:00Z`)

test.each([
  ['without hours', { startMs: at('05T22:00'), hours: null, byCountry: { '': 600 } }, 0, '05T23:00'],
  ['within the hours', { startMs: at('05T10:00'), hours, byCountry: { DE: 600 } }, 0, '05T11:00'],
  [
    'for some the next morning',
    { startMs: at('05T22:00'), hours, byCountry: { DE: 300, '': 300 } },
    300,
    '06T08:30',
  ],
  ['over the end of the hours', { startMs: at('05T18:30'), hours, byCountry: { DE: 600 } }, 0, '06T08:30'],
  [
    'at half the rate while others wait',
    { startMs: at('05T06:00'), hours, byCountry: { JP: 300, DE: 300 } },
    300,
    '05T08:30',
  ],
  ['never, where no time fits', { startMs: at('05T06:00'), hours, byCountry: { XK: 1 } }, 1, null],
])('tells when the last of 600 messages an hour leaves: %s', (_what, send, outsideHours, last) => {
  expect(forecastSend({ ...send, takesMs: hourMs })).toEqual({
    outsideHours,
    lastMs: last === null ? null : at(last),
  })
})
