import type { Contradiction } from '#contract/views/messages.ts'
import { statusLook } from '../../shared/format/status.ts'
import { t } from './messages.texts.ts'

/** How the API record and a delivery report differ, without saying which is right. */
export function contradictionText({ kind, recordSays, eventSays, isNewer }: Contradiction): string {
  const key = kind === 'number' || !isNewer ? kind : (`${kind}Newer` as const)
  const shown = (value: string) => (kind === 'number' ? value : statusLook('message', value).label)
  return t(`contradiction.${key}`, { record: shown(recordSays), report: shown(eventSays) })
}
