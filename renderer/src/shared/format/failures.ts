import { shownPercent, tooManyFailed } from '#contract/views/campaign-alert-rules.ts'
import { t } from '../i18n/shared.texts.ts'

/** Red for a share at the limit of the default alert rule. Its hover text is `failureHint`. */
export function failureTone(failed: number | null, of: number | null): 'bad' | undefined {
  const { percent, minSent } = tooManyFailed
  if (failed === null || of === null) return undefined
  const tried = Math.max(failed, of)
  return tried >= minSent && shownPercent(failed, tried) >= percent ? 'bad' : undefined
}

/** What a failed share is of, and when it is red. */
export const failureHint = () => t('failures', { percent: tooManyFailed.percent, n: tooManyFailed.minSent })
