import type { Contradiction } from '#contract/views/messages.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

const quoted = (text: string) => `“${visibleText(text)}”`

/** Where the record and a report do not agree, in a sentence that takes neither's side. */
export function contradictionText({ kind, recordSays, eventSays, isNewer }: Contradiction): string {
  const record = quoted(recordSays)
  const report = quoted(eventSays)
  const after = isNewer
    ? ' The report arrived after the record was read: read it again.'
    : ' The record was read after the report arrived.'
  switch (kind) {
    case 'ahead':
      return `The record says ${record}, while a report says ${report}.${after}`
    case 'differs':
      return `The record says that it ended as ${record}, a report that it ended as ${report}.${after}`
    case 'number':
      return `The record names the recipient ${record}, a report ${report}.`
  }
}
