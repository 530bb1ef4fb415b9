import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { searchCondition } from '#electron/jobs/sends/outbox-filter.ts'
import { fold } from '#electron/lib/fold.ts'
import { texts } from '../../../helpers/texts.ts'

const db = new Sqlite(':memory:')
db.function('fold', (text) => fold(String(text)))
db.exec(`CREATE TABLE outbox (name TEXT, phone TEXT, service_id TEXT);
  INSERT INTO outbox VALUES ('Zoë Müller', '+447911000200', 'msg-7'), ('Ada', '+436641110009', NULL), ('Room 12', '+497911000200', NULL)`)
const found = (typed: string) => {
  const { sql, params } = searchCondition(typed)
  return db.prepare(`SELECT phone FROM outbox WHERE ${sql}`).pluck().all(params)
}

test.each([
  ...texts(`07911 000200 | 07911/000-200 | (07911) 000 200 | 7911000200 | 000200 | …000200 | ...0200`),
])('finds the numbers of any country that %s may mean', (typed) =>
  expect(found(typed)).toEqual(['+447911000200', '+497911000200']),
)

test.each([
  ...texts(`
    +44 7911 000200 | 0044 7911 000200 | +44 (0)7911 000200 | +44 (0) 7911 | zoe | mull ZOE | zoë 07911
    msg-7 | +44 7911 000200, +1 415 555 0199`),
])('finds one by %s', (typed) => expect(found(typed)).toEqual(['+447911000200']))

test('finds several numbers, a number in a name, and nothing else', () => {
  expect(found('0664 1110009, +44 7911 000200')).toEqual(['+447911000200', '+436641110009'])
  expect(found('(0664) 111 00 09')).toEqual(['+436641110009'])
  expect(found('room 12')).toEqual(['+497911000200'])
  expect(found('\0')).toHaveLength(3)
  for (const typed of ['07911 000201', 'msg', 'zoe 12', '+7911', `'`, '%'])
    expect(found(typed), typed).toEqual([])
})
