import { expect, test } from 'vitest'
import {
  bytesAsText,
  createCleaner,
  plainNumber,
  spelledNumber,
} from '#electron/core/connection/erase/needle.ts'

const person = { digits: '4917123456701', texts: ['Ada Lovelace', 'ada@x.example', 'Ada'] }
const short = { digits: '2345670', texts: [] }

test.each([
  '+4917123456701',
  '004917123456701',
  '0171 234567-01',
  '+49 (0) 171 / 234 567 01',
  '+49\u00a0171\u00a02345\u00a06701',
  '{"text":"+49\\u00a0171\\u00a02345\\u00a06701"}',
  'call 2 4917123456701 now',
  '"12","17123456701","34"',
  'rows 1-2 0171 234567-01',
])('finds the number in %j, in every encoding', (text) => {
  for (const encoding of ['utf8', 'latin1', 'utf16le'] as const)
    expect(bytesAsText(Buffer.from(text, encoding)).search(spelledNumber(person)), encoding).not.toBe(-1)
})

test.each(['14917123456701', '49171234567012', '9 171 234567-01', '0171 234567-02', '4917123456,701'])(
  'does not find it in %j',
  (text) => {
    for (const encoding of ['utf8', 'utf16le'] as const)
      expect(bytesAsText(Buffer.from(text, encoding)).search(spelledNumber(person)), encoding).toBe(-1)
  },
)

test.each(['12345670', '23456701', '1 234 5670', '+44 20 2345670', '1700002345670'])(
  'does not find a short number within %j',
  (text) =>
    expect([spelledNumber(short), plainNumber(short)].map((number) => text.search(number))).toEqual([-1, -1]),
)

test('finds a text by number and email, not by name, and removes all three from it', () => {
  const { holds, clean } = createCleaner(person)
  expect(['Ada Lovelace', 'x +4917123456701', 'to ada@x.example', '14917123456701'].map(holds)).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(clean('{"to":"+4917123456701","name":"Ada Lovelace","mail":"ada@x.example"}')).toBe(
    '{"to":"+0","name":"erased","mail":"erased"}',
  )
})
