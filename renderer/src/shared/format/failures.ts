import { shallowRef } from 'vue'
import { type FailureLimit, shownPercent, tooManyFailed } from '#contract/views/campaign-alert-rules.ts'
import { t } from '../i18n/shared.texts.ts'

/** From which share a figure is red: the failed share of the default alert rule, as `use-failure-limit` finds it. */
export const failureLimit = shallowRef<FailureLimit>(tooManyFailed)

/** Red for a share at the limit, by default that of the connection on show. Its hover text is `failureHint`. */
export function failureTone(
  failed: number | null,
  of: number | null,
  { percent, minSent } = failureLimit.value,
): 'bad' | undefined {
  if (failed === null || of === null) return undefined
  const tried = Math.max(failed, of)
  return tried >= minSent && shownPercent(failed, tried) >= percent ? 'bad' : undefined
}

/** What a failed share is of, and when it is red. */
export const failureHint = ({ percent, minSent: n } = failureLimit.value) => t('failures', { percent, n })
