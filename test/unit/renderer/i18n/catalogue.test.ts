import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { computed } from 'vue'
import { formatAmount, formatCount } from '../../../../renderer/src/shared/format/numbers.ts'
import { formatAge, formatTime, formatUtc } from '../../../../renderer/src/shared/format/time.ts'
import { languages, loadCatalogue, setLanguage } from '../../../../renderer/src/shared/i18n/catalogue.ts'

const english = {
  sent: '{n} of {total} request sent | {n} of {total} requests sent',
  only: 'English only',
  from: 'From {name}',
}
const t = await loadCatalogue<typeof english>('probe', {
  './probe.en.json': async () => english,
  './probe.es.json': async () => ({
    sent: '{n} de {total} solicitud enviada | {n} de {total} solicitudes enviadas',
    only: 'Solo inglés',
    from: 'De {name}',
  }),
})
const plain = await loadCatalogue<{ title: string }>('plain', {
  './plain.en.json': async () => ({ title: 'Title' }),
})

beforeEach(() => {
  vi.stubGlobal('document', { documentElement: { lang: 'en' } })
  vi.stubGlobal('navigator', { languages: ['en-US'] })
})
// Files share their modules, and so the language.
afterEach(() => setLanguage('en'))

describe('a catalogue', () => {
  it('picks the plural form by n and writes numbers by locale', async () => {
    expect(t('sent', { n: 1, total: 12_000 })).toBe('1 of 12,000 request sent')
    expect(t('sent', { n: 12_000, total: 12_000 })).toBe('12,000 of 12,000 requests sent')
    await setLanguage('es')
    expect(t('sent', { n: 12_000, total: 12_000 })).toBe('12.000 de 12.000 solicitudes enviadas')
  })

  it('makes control characters of foreign values visible', () => {
    expect(t('from', { name: 'a\u202eb' })).toBe('From a[U+202E]b')
  })

  it('changes texts in place when the language changes', async () => {
    const text = computed(() => t('only'))
    expect(text.value).toBe('English only')
    await setLanguage('es')
    expect(text.value).toBe('Solo inglés')
    expect(document.documentElement.lang).toBe('es')
  })

  it('falls back to English where a language has no file', async () => {
    await setLanguage('es')
    expect(plain('title')).toBe('Title')
  })

  it('loads the current language only', async () => {
    await setLanguage('es')
    const load = vi.fn(async () => ({}))
    await loadCatalogue('later', { './later.en.json': load, './later.es.json': async () => ({}) })
    expect(load).not.toHaveBeenCalled()
  })
})

describe('the language', () => {
  it('follows the system unless one is set', async () => {
    vi.stubGlobal('navigator', { languages: ['fr-FR', 'es-MX', 'en-US'] })
    await setLanguage('system')
    expect(document.documentElement.lang).toBe('es')
    await setLanguage('en')
    expect(document.documentElement.lang).toBe('en')
  })

  it('is English where the system’s has no texts', async () => {
    vi.stubGlobal('navigator', { languages: ['fr-FR'] })
    await setLanguage('es')
    await setLanguage('system')
    expect(document.documentElement.lang).toBe('en')
    expect(languages()).toEqual(['en', 'es'])
  })

  it('decides how numbers and times are written, but not UTC', async () => {
    await setLanguage('es')
    expect(formatCount(1_204_518)).toBe('1.204.518')
    expect(formatAmount(18_422.5)).toBe('18.422,50')
    expect(formatTime('2026-11-20T12:14:05Z', 'minute')).toMatch(/^20 nov, \d\d:\d\d$/)
    expect(formatUtc('2026-11-20T23:14:05.120Z')).toBe('2026-11-20 23:14:05.120 UTC')
    expect(formatAge('2026-11-20T12:00:00Z', Date.parse('2026-11-20T12:03:00Z'))).toBe('3 min ago')
  })
})

type Messages = { [key: string]: string | Messages }
const root = resolve(import.meta.dirname, '../../../../renderer/src')
const catalogues = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.[a-z]{2}\.json$/.test(path),
)
const read = (path: string) => flat(JSON.parse(readFileSync(join(root, path), 'utf8')) as Messages)

function flat(messages: Messages, prefix = ''): [key: string, message: string][] {
  return Object.entries(messages).flatMap(([key, message]) =>
    typeof message === 'string'
      ? [[prefix + key, message] as [string, string]]
      : flat(message, `${prefix}${key}.`),
  )
}

/** The names in braces, and how many plural forms there are. */
const shape = (message: string) =>
  [...new Set(message.match(/\{\w+\}/g))].sort().join() + ` × ${message.split(' | ').length}`

describe.each(catalogues)('%s', (path) => {
  it('has sentences of at most 20 words', () => {
    const sentences = read(path).flatMap(([, message]) => message.split(/ \| |(?<=[.?!]) /))
    expect(sentences.filter((sentence) => sentence.split(/\s+/).length > 20)).toEqual([])
  })

  it('uses typographic quotes and apostrophes', () => {
    const straight = read(path).filter(([, message]) => /["`]|\w'\w/.test(message))
    expect(straight).toEqual([])
  })

  it('has the keys, values and plural forms of the English one', () => {
    const shapes = (of: string) => Object.fromEntries(read(of).map(([key, message]) => [key, shape(message)]))
    expect(shapes(path)).toEqual(shapes(path.replace(/\.[a-z]{2}\.json$/, '.en.json')))
  })
})

it('every language has every catalogue', () => {
  const of = (language: string) =>
    catalogues.flatMap((path) =>
      path.endsWith(`.${language}.json`) ? [path.replace(`.${language}.json`, '')] : [],
    )
  for (const path of catalogues) expect(of(path.split('.').at(-2)!)).toEqual(of('en'))
})
