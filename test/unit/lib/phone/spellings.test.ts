import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesAsText, spelledNumber } from '#electron/core/connection/erase/needle.ts'
import { readEntry } from '#electron/lib/phone/entry-readings.ts'
import { possibleNumbers } from '#electron/lib/phone/possible-numbers.ts'
import { spelledNumbers, spelling } from '../../../helpers/number-spellings.ts'

const seed = 27
/** `SWITCHBOARD_SPELLINGS=20000` runs it at full size; see test/README.md. */
const numRuns = Number(process.env['SWITCHBOARD_SPELLINGS'] ?? 300)

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

/** Whether an entry blocks a number, or makes it unknown. */
function isOnGuard(text: string, country: string | null, number: number): boolean {
  const { digits, readings } = readEntry(text, country)
  return (
    digits === number ||
    readings.some(({ kind, low, high }) =>
      kind === 'ending' ? low === number % 10_000_000 : low <= number && number <= high,
    )
  )
}

const austrian = { region: 'AT', code: '43', national: '6642220001', trunk: '0' }
const italian = { region: 'IT', code: '39', national: '3471234567', trunk: '' }
const noted = [...spelledNumbers, austrian, italian]
const small = fc.integer({ min: 1, max: 99 }).map(String)
const word = fc.constantFrom(...'home|Büro|ask Ann|Nummer|no SMS|alt|до 18|WhatsApp|STOP'.split('|'))
const behind = fc.oneof(
  ...' (#)| #)| [#]|[#]|(#)|_#|\t#| #/2| #/7| – #| - #| #|*| *#|²'
    .split('|')
    .map((form) => small.map((digits) => form.replace('#', digits))),
  ...',,#|;#|:#|p#| x#| ext. #| DW #|,,##| w#| / #|, #| (#. @)| (@ #)| @ #| @, #| — @'
    .split('|')
    .map((form) =>
      fc.tuple(small, word).map(([digits, text]) => form.replace('#', digits).replace('@', text)),
    ),
)
const before = fc.oneof(
  ...['#) ', '[#] ', '(#) ', '##  ', '№ # ', '#. ', '#: ', '- ', '* ', '#.) ', '#\t'].map((form) =>
    small.map((digits) => form.replace('#', digits)),
  ),
  word.map((text) => `${text}: `),
)
const nothing = fc.constant('')

test('blocks a number with notes before or behind it in a list, or makes it unknown', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...noted),
      fc.constantFrom('international', 'dialled', 'digits'),
      fc.oneof(nothing, before),
      fc.oneof(
        behind,
        nothing,
        fc.tuple(behind, behind).map((both) => both.join('')),
      ),
      fc.boolean(),
      ({ region, code, national, trunk }, kind, start, end, isKnown) => {
        const written = {
          international: `+${code} ${national.slice(0, 3)} ${national.slice(3)}`,
          dialled: `${trunk}${national.slice(0, 3)} ${national.slice(3)}`,
          digits: `+${code}${national}`,
        }[kind]
        const text = start + written + end
        expect([text, isOnGuard(text, isKnown ? region : null, Number(code + national))]).toEqual([
          text,
          true,
        ])
      },
    ),
    { seed, numRuns },
  )
})

test('does so in every notation, and for lists of other countries', () => {
  for (const kind of ['international', 'computed', 'dialled'] as const)
    fc.assert(
      fc.property(
        spelling(kind),
        fc.oneof(nothing, before),
        fc.tuple(behind, fc.oneof(nothing, behind)),
        fc.constantFrom(null, 'AT', 'US', 'IT'),
        ({ text: spelled, digits, number }, start, ends, other) => {
          const text = start + spelled + ends.join('')
          // What is dialled within a country means the number only there.
          for (const country of [null, number.region, kind === 'dialled' ? null : other])
            expect([text, country, isOnGuard(text, country, digits)]).toEqual([text, country, true])
        },
      ),
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
