import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesAsText, spelledNumber } from '#electron/core/connection/erase/needle.ts'
import { readEntry } from '#electron/lib/phone/entry-readings.ts'
import { possibleNumbers } from '#electron/lib/phone/possible-numbers.ts'
import { spelledNumbers, spelling } from '../../../helpers/number-spellings.ts'

const seed = 27
const numRuns = 2_000

test('reads every spelling with its country code back, in any country', () => {
  fc.assert(
    fc.property(
      spelling('international'),
      fc.constantFrom(null, ...spelledNumbers.map(({ region }) => region)),
      ({ text, digits }, region) => {
        expect([text, possibleNumbers(text, region).digits]).toEqual([text, digits])
      },
    ),
    { seed, numRuns },
  )
})

test('blocks the number behind every spelling that a program or a person of its country made', () => {
  for (const kind of ['computed', 'dialled'] as const)
    fc.assert(
      fc.property(spelling(kind), ({ text, digits, number }) => {
        expect([text, possibleNumbers(text, number.region).all.includes(digits)]).toEqual([text, true])
        // Without the country it is blocked, or suspected by its ending.
        const { readings, digits: read } = readEntry(text, null)
        const isKnown =
          read === digits ||
          readings.some(({ kind: of, low }) =>
            of === 'ending' ? low === digits % 10_000_000 : of === 'number' && low === digits,
          )
        expect([text, isKnown]).toEqual([text, true])
      }),
      { seed, numRuns },
    )
})

test('finds every spelling in a file to erase', () => {
  for (const kind of ['international', 'computed', 'dialled'] as const)
    fc.assert(
      fc.property(spelling(kind), ({ text, digits }) => {
        const sought = spelledNumber({ digits: String(digits), texts: [] })
        const row = Buffer.from(`Kim Sample;${text};note\r\n`)
        expect([text, bytesAsText(row).search(sought) !== -1]).toEqual([text, true])
        const others = bytesAsText(Buffer.from(`Lee Other;+12015550242;${digits}9;7${digits}\r\n`))
        expect(others.search(sought)).toBe(-1)
      }),
      { seed, numRuns },
    )
})
