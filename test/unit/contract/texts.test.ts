import { describe, expect, test } from 'vitest'
import { createTexts, type Language, languageOf, regionOf } from '#contract/texts.ts'

let language: Language = 'en'
const t = createTexts(
  {
    en: {
      sent: { count: '{n} of {total} request sent | {n} of {total} requests sent' },
      from: 'From {name}',
    },
    es: { sent: { count: '{n} de {total} solicitud | {n} de {total} solicitudes' }, from: 'De {name}' },
  },
  () => language,
)

describe('texts outside the window', () => {
  test('pick the plural form by n and write numbers by region', () => {
    language = 'en'
    expect(t('sent.count', { n: 1, total: 12_000 })).toBe('1 of 12,000 request sent')
    expect(t('sent.count', { n: 0, total: 0 })).toBe('0 of 0 requests sent')
    language = 'es'
    expect(t('sent.count', { n: 12_000, total: '12' })).toBe('12.000 de 12 solicitudes')
    expect(t('sent.count', { n: 1_000_000, total: 1 })).toBe('1.000.000 de 1 solicitudes')
  })

  test('leave a missing value empty and show control characters by name', () => {
    language = 'en'
    expect(t('from')).toBe('From ')
    expect(t('from', { name: 'a\u202e{name} | b' })).toBe('From a[U+202E]{name} | b')
  })
})

test.each([
  ['es', 'es-MX', '84,319.5'],
  ['es', 'es-AR', '84.319,5'],
  ['es', 'de-DE', '84.319,5'],
  ['en', 'es-MX', '84,319.5'],
  ['en', 'de-DE', '84,319.5'],
] as const)('numbers in %s on a %s system are written like %s', (code, system, written) => {
  expect((84_319.5).toLocaleString(regionOf(code, system))).toBe(written)
})

test.each([
  ['es-MX', 'es'],
  ['ES_es.UTF-8', 'es'],
  ['fr-FR,es-MX;q=0.9,en;q=0.8', 'es'],
  ['de', 'en'],
  ['*', 'en'],
  ['', 'en'],
])('the language of %j is %s', (tags, found) => {
  expect(languageOf(tags)).toBe(found)
})
