import type { RetentionSettings } from '#contract/live/retention.ts'
import { t } from './settings.texts.ts'

/** The fields as typed; an empty one sets no limit. */
export interface RetentionDraft {
  deleteAfterDays: string
  maxMb: string
  keepAtLeastDays: string
}

const textOf = (value: number | null) => (value === null ? '' : String(value))

/** Empty until the settings are read. */
export const toDraft = (settings: RetentionSettings | null): RetentionDraft => ({
  deleteAfterDays: textOf(settings?.deleteAfterDays ?? null),
  maxMb: textOf(settings?.maxMb ?? null),
  keepAtLeastDays: textOf(settings?.keepAtLeastDays ?? null),
})

/** The problem of a text that should be a whole number in the range, or null. */
function problemOf(text: string, least: number, most: number, mayBeEmpty: boolean): string | null {
  const trimmed = text.trim()
  if (trimmed === '' && mayBeEmpty) return null
  const value = /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : NaN
  if (value >= least && value <= most) return null
  return t(mayBeEmpty ? 'retention.enterOrEmpty' : 'retention.enter', { least, most })
}

/** The problem of each field, or null. */
export function problemsOf(draft: RetentionDraft): Record<keyof RetentionDraft, string | null> {
  const keepAtLeastDays = problemOf(draft.keepAtLeastDays, 1, 3_650, false)
  const tooFew =
    draft.deleteAfterDays.trim() !== '' &&
    !keepAtLeastDays &&
    Number(draft.deleteAfterDays) < Number(draft.keepAtLeastDays)
  return {
    keepAtLeastDays,
    maxMb: problemOf(draft.maxMb, 10, 10_000_000, true),
    deleteAfterDays:
      problemOf(draft.deleteAfterDays, 1, 3_650, true) ?? (tooFew ? t('retention.tooFew') : null),
  }
}

/** The settings of a draft, or null while it has a problem. */
export function toSettings(draft: RetentionDraft): RetentionSettings | null {
  if (Object.values(problemsOf(draft)).some((problem) => problem !== null)) return null
  const numberOf = (text: string) => (text.trim() === '' ? null : Number(text))
  return {
    deleteAfterDays: numberOf(draft.deleteAfterDays),
    maxMb: numberOf(draft.maxMb),
    keepAtLeastDays: Number(draft.keepAtLeastDays),
  }
}
