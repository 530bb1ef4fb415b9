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
