import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AppError, errorText } from '#contract/errors.ts'

test('shows invisible characters of foreign text in error messages', () => {
  const data = { serviceText: 'no\u202e key\u200f\n' }
  expect(errorText('FORBIDDEN', data)).toContain('“no[U+202E] key[U+200F][↵]”')
  expect(new AppError('FORBIDDEN', data).message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

/** Members with text from a sender, the service or a request. */
const foreign =
  /\{\{[^}]*\.(phone|ownNumber|phoneNumber|path|evidence|content|serviceText|subject|body)\b[^}]*\}\}/g
/** Numbers already parsed as E.164. */
const parsed = /(ContactCells|ContactFacts|ContactPicker|NumberCheck|ImportRows|SendOne|SendOutcome)\.vue$/

test('shows foreign text only with visible control characters', () => {
  const root = join(import.meta.dirname, '../../../renderer/src')
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.vue') && !parsed.test(file))
    .flatMap((file) => {
      const texts = readFileSync(join(root, file), 'utf8').match(foreign) ?? []
      return texts.filter((text) => !/visibleText|length|\bt\(/.test(text)).map((text) => `${file}: ${text}`)
    })
  expect(found).toEqual([])
})
