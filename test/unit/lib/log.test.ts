import { expect, test } from 'vitest'
import { redact } from '#electron/lib/log.ts'

test('keeps the causes of an error, without their secrets', () => {
  const cause = new Error('denied for Bearer abc.def', { cause: { password: 'p' } })
  const text = redact(new Error('The keychain failed', { cause }))
  expect(text).toMatch(/The keychain failed[\s\S]*Caused by: Error: denied/)
  expect(text).not.toContain('abc.def')
  const circular = new Error('again')
  circular.cause = circular
  expect(String(redact(circular)).match(/Caused by/g)).toHaveLength(3)
})

test.each([
  ['sent to +436601234567', 'sent to +436…67'],
  ['sent to +43 (0) 660 / 123-45 67.', 'sent to +43 …67.'],
  ['GET /contacts?phone=%2B436601234567 failed', 'GET /contacts?phone=%2B4…67 failed'],
  ['436601234567@c.us', '4366…67@c.us'],
  ['whatsapp:+14155550123', 'whatsapp:+141…23'],
  ['(202) 555-0109 is held', '(202…09 is held'],
  ['"0660 1234567"', '"0660…67"'],
])('masks the phone number in %j', (text, masked) => {
  expect(redact(text)).toBe(masked)
})

test.each([
  '2026-11-27T08:15:30.250Z',
  '2026-11-27 08:15:30',
  'http://127.0.0.1:8787/webhooks',
  'f7afb1c2-0123-4567-8901-23456789abcd',
  'at run (/app/jobs/import.ts:120:33)',
  'version 10.0.19045',
])('leaves %j', (text) => {
  expect(redact(text)).toBe(text)
})
