import { t } from '../i18n/shared.texts.ts'

/** The listener's reasons to reject a delivery, as `listener.refusals` and the status name them. */
const reasons = [
  'path',
  'method',
  'browser',
  'length',
  'too-large',
  'signature-missing',
  'signature-malformed',
  'signature-mismatch',
  'no-secret',
  'timeout',
  'headers-too-large',
  'malformed',
  'too-many-connections',
] as const

/** Why a delivery was rejected. An unknown reason is shown as received. */
export function refusalWords(reason: string): string {
  const known = reasons.find((one) => one === reason)
  return known ? t(`rejection.${known}`) : reason
}
