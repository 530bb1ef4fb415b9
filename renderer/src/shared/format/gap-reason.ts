import { missedReasons } from '#contract/live/events.ts'
import { t } from '../i18n/shared.texts.ts'
import { visibleText } from '../text/visible-controls.ts'

const causes = [
  'not-started',
  'closed',
  'crashed',
  'port-taken',
  'moved',
  'suspended',
  'not-stored',
  'no-secret',
  'switched',
  'restarted',
  'unreachable-address',
  'relay-stopped',
  'relay-dropped',
  ...missedReasons,
] as const

/** Why no event arrived. An unknown cause is shown as received. */
export function gapReason(reason: string): string {
  const known = causes.find((one) => one === reason)
  return known ? t(`gapCause.${known}`) : visibleText(reason)
}
