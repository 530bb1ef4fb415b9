import type { ContactColumn, ContactSelection } from '../../../contract/contacts.ts'
import type { Clock } from '../../../lib/clock.ts'
import { utcDay } from '../../../lib/iso-time.ts'
import type { FileTasks } from '../../platform/file-tasks/file-tasks.ts'

interface ContactExport {
  selection: ContactSelection
  columns: ContactColumn[]
  tagColumns: boolean
}

/** Exports selected contacts to a CSV file, as a task. */
export function createContactExport({ fileTasks, clock }: { fileTasks: FileTasks; clock: Clock }) {
  const start = fileTasks.define<'export', ContactExport>('export', (input) => input)
  return (input: ContactExport) => start(`contacts-${utcDay(clock.now())}.csv`, input)
}
