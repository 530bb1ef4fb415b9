import { expect, test } from 'vitest'
import { trigramsFrom, trigramsWithin, writeTrigrams } from '#electron/jobs/contact-store/trigrams.ts'
import { seededRandom } from '#electron/lib/random.ts'

const random = seededRandom(17)
const roll = (below: number) => Math.floor(random() * below)

const trigramsOf = (text: string): number[] => {
  const all = new Uint32Array(text.length)
  return [...all.subarray(0, writeTrigrams(text, all, 0))]
}

const pieces = [
  ...[
    'anna',
    '+4915',
    'é',
    'Ж',
    'ж',
    '漢字',
    '😀',
    '\n',
    '\n',
    '\n\n',
    '\t',
    ' ',
    '\r\n',
    '\u0001',
    '\ud83d',
    '=',
    '',
  ],
]
const someText = () => Array.from({ length: 1 + roll(7) }, () => pieces[roll(pieces.length)]!).join('')

test('searches only trigrams that the text has, across line ends and halves of characters', () => {
  for (let round = 0; round < 5_000; round++) {
    const text = someText()
    const from = roll(text.length)
    const part = text.slice(from, from + roll(9))
    const held = new Set(trigramsOf(text))
    expect(
      trigramsWithin(part).filter((trigram) => !held.has(trigram)),
      JSON.stringify({ text, part }),
    ).toEqual([])
    if (part === '' || part.length > 2 || part.startsWith('\n')) continue
    const [first, last] = trigramsFrom(part)
    expect([...held].some((trigram) => trigram >= first && trigram <= last)).toBe(true)
  }
})

test('searches every three characters that do not start with a line end', () => {
  expect(trigramsWithin('zebra')).toEqual(trigramsOf('zebra').slice(0, 3))
  expect(trigramsWithin('a\nzeb')).toEqual([
    ...trigramsOf('a\nz').slice(0, 1),
    ...trigramsOf('zeb').slice(0, 1),
  ])
  expect(trigramsWithin('ze')).toEqual([])
  expect(trigramsWithin('\n\nze')).toEqual([])
})
