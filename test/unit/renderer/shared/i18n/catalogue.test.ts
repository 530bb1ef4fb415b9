import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { computed } from 'vue'
import { type Said, textIn } from '#contract/phrases.ts'
import { cellText } from '../../../../../renderer/src/features/analytics/sheet.ts'
import {
  formatAmount,
  formatCount,
  formatDecimal,
} from '../../../../../renderer/src/shared/format/numbers.ts'
import { formatAge, formatTime, formatUtc } from '../../../../../renderer/src/shared/format/time.ts'
import { say } from '../../../../../renderer/src/shared/i18n/core-texts.ts'
import { loadCatalogue, setLanguage } from '../../../../../renderer/src/shared/i18n/catalogue.ts'

const english = {
  sent: '{n} of {total} request sent | {n} of {total} requests sent',
  only: 'English only',
  from: 'From {name}',
}
const file = (texts: object) => async () => ({ default: texts })
const t = await loadCatalogue<typeof english>('probe', {
  './probe.en.json': file(english),
  './probe.es.json': file({
    sent: '{n} de {total} solicitud enviada | {n} de {total} solicitudes enviadas',
    only: 'Solo inglés',
    from: 'De {name}',
  }),
})
const plain = await loadCatalogue<{ title: string }>('plain', {
  './plain.en.json': file({ title: 'Title' }),
})

beforeEach(() => {
  vi.stubGlobal('document', { documentElement: { lang: 'en' } })
  vi.stubGlobal('navigator', { languages: ['en-US'] })
})
// Test files share modules, and so the language; the next file's may look for a document when they load.
afterEach(async () => {
  await setLanguage('en')
  vi.unstubAllGlobals()
})

describe('a catalogue', () => {
  it('picks the plural form by n and writes numbers by locale', async () => {
    expect(t('sent', { n: 1, total: 12_000 })).toBe('1 of 12,000 request sent')
    expect(t('sent', { n: 12_000, total: 12_000 })).toBe('12,000 of 12,000 requests sent')
    await setLanguage('es')
    expect(t('sent', { n: 12_000, total: 12_000 })).toBe('12.000 de 12.000 solicitudes enviadas')
  })

  it('writes a time in a phrase of the core as local time, and quotes a text that looks like one', () => {
    const time = '2026-11-15T14:02:00.000Z'
    for (const write of [say, (said: Said) => textIn('en', said)]) {
      expect(write({ key: 'subject.gapFrom', from: { time } })).toMatch(/began 1\d Nov, \d\d:\d\d$/)
      expect(write({ key: 'subject.gapFrom', from: time })).toBe(`of the gap that began ${time}`)
    }
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

  it('loads only the current language', async () => {
    await setLanguage('es')
    const load = vi.fn(file({}))
    await loadCatalogue('later', { './later.en.json': load, './later.es.json': file({}) })
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

  it('is the last one chosen, even if its texts arrive first', async () => {
    const spanish = setLanguage('es')
    await setLanguage('en')
    await spanish
    expect(document.documentElement.lang).toBe('en')
    expect(t('only')).toBe('English only')
  })

  it('is English if the system’s language has no texts', async () => {
    vi.stubGlobal('navigator', { languages: ['fr-FR'] })
    await setLanguage('es')
    await setLanguage('system')
    expect(document.documentElement.lang).toBe('en')
  })

  it('decides how numbers and times are written, except UTC', async () => {
    await setLanguage('es')
    expect(formatCount(1_204_518)).toBe('1.204.518')
    expect(formatAmount(18_422.5)).toBe('18.422,50')
    expect(formatDecimal(2.14)).toBe('2,1')
    expect(cellText(-0.179, 'percent')).toBe('−17,9\u00a0%')
    expect(cellText(0.0001, 'share')).toBe('< 0,1\u00a0%')
    expect(formatTime('2026-11-20T12:14:05Z', 'minute')).toMatch(/^20 nov, \d\d:\d\d$/)
    expect(formatUtc('2026-11-20T23:14:05.120Z')).toBe('2026-11-20 23:14:05.120 UTC')
    expect(formatAge('2026-11-20T12:00:00Z', Date.parse('2026-11-20T12:03:00Z'))).toBe('hace 3 min')
  })
})
