import type { Contradiction } from '#contract/views/messages.ts'
import { t } from './messages.texts.ts'

/** How the API record and a delivery report differ, without saying which is right. */
export function contradictionText({ kind, recordSays, eventSays, isNewer }: Contradiction): string {
  const key = kind === 'number' || !isNewer ? kind : (`${kind}Newer` as const)
  return t(`contradiction.${key}`, { record: recordSays, report: eventSays })
}
