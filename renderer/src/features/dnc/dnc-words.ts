import type { DncCache, Hold } from '#contract/people/dnc.ts'
import { shorterText } from '../../shared/format/dnc-list.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { formatAge, formatDuration } from '../../shared/format/time.ts'
import { t as shared } from '../../shared/i18n/shared.texts.ts'
import { t } from './dnc.texts.ts'

const look = (tone: StatusLook['tone'], icon: StatusLook['icon'], label: string): StatusLook => ({
  tone,
  icon,
  label,
})

/** What the offline copy is good for. */
export function cacheMeaning(cache: DncCache): string {
  const { state, sync, unreadable: n } = cache
  const age = formatDuration(cache.maxAgeMs)
  const shorter = shorterText(cache)
  if (shorter) return `${shorter} ${shared('dncList.stillBlock')}`
  if (state !== 'fresh') return t(`cache.${state}`, { age })
  if (sync?.state === 'failed') return t('cache.failed', { age })
  return n > 0 ? t('cache.someUnreadable', { n }) : t('cache.fresh')
}

const verdictLooks = {
  clear: ['ok', 'check'],
  blocked: ['bad', 'ban'],
  'not-known': ['warn', 'warning'],
  'maybe-listed': ['warn', 'warning'],
  unparsable: ['warn', 'cross'],
  'not-proven': ['warn', 'warning'],
} as const

/** How a verdict on a number is shown. An unverified one never shows as clear. */
export const verdictLook = (verdict: keyof typeof verdictLooks): StatusLook =>
  look(verdictLooks[verdict][0], verdictLooks[verdict][1], t(`verdict.${verdict}`))

/** How a hold is shown: active, without proof, without a number that it could hold, or why it ended. */
export function holdLook(hold: Pick<Hold, 'endedAt' | 'endReason' | 'number' | 'verified'>): StatusLook {
  if (hold.endedAt === null && hold.number === null) return look('warn', 'warning', t('hold.notApplied'))
  if (hold.endedAt === null && !hold.verified) return look('warn', 'hand', t('hold.unverified'))
  if (hold.endedAt === null) return look('warn', 'hand', t('hold.active'))
  return hold.endReason === 'on-dnc'
    ? look('info', 'ban', t('hold.onList'))
    : look('quiet', 'check', t('hold.removed'))
}

const hourMs = 3_600_000
const ages = [
  { hours: 1 },
  { hours: 6 },
  { hours: 12 },
  { days: 1 },
  { days: 3 },
  { days: 7 },
  { days: 30 },
] as const

/** Ages after which the copy counts as outdated, including the current setting. */
export function ageOptions(inUseMs: number): { label: string; value: number }[] {
  const known = ages.map((age) =>
    'days' in age
      ? { label: t('age.days', { n: age.days }), value: age.days * 24 * hourMs }
      : { label: t('age.hours', { n: age.hours }), value: age.hours * hourMs },
  )
  const isKnown = known.some(({ value }) => value === inUseMs)
  return [...known, ...(isKnown ? [] : [{ label: formatDuration(inUseMs), value: inUseMs }])].sort(
    (a, b) => a.value - b.value,
  )
}

/** `61 of 124 pages`, or `61 pages` if the total is unknown. */
export const syncText = ({ pagesDone, pagesTotal }: NonNullable<DncCache['sync']>): string =>
  pagesTotal === null
    ? t('copy.pages', { n: pagesDone })
    : t('copy.pagesOf', { done: pagesDone, n: pagesTotal })

/** The age of the copy behind an offline answer. */
export const copyText = (asOf: string | null): string =>
  asOf === null ? t('one.never') : t('one.synced', { age: formatAge(asOf) })

/** How many lines of a pasted text have something on them. */
export const filledLines = (text: string): number =>
  text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length

/** Opt-out keywords as typed, by line or comma, without repeats in another case. */
export function readKeywords(text: string): string[] {
  const words = text
    .split(/[\r\n,]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
  const seen = new Set<string>()
  return words.filter((word) => {
    const key = word.toLowerCase()
    return seen.has(key) ? false : seen.add(key)
  })
}
