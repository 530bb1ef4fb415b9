import { writeFileSync } from 'node:fs'
import type { ContactColumn, ContactSelection } from '../../contract/contacts.ts'
import type { EventFilter, EventFormat } from '../../contract/events.ts'
import type { Clock } from '../../lib/clock.ts'
import { writeCsv } from '../../lib/csv/row-writer.ts'
import type { JobFiles } from '../../jobs/work/protocol.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import { compileFilter } from '../events/event-filter.ts'
import type { Projector } from '../events/projector.ts'
import type { FileStore } from '../files/file-store.ts'
import { runTaskJob } from '../tasks/job-runner.ts'
import type { TasksService } from '../tasks/tasks.service.ts'

export interface ExportsService {
  /** The task's `refId` is the file. */
  contacts(input: { selection: ContactSelection; columns: ContactColumn[]; tagColumns: boolean }): {
    taskId: string
  }
  /** The stored events of a filter, oldest first, as they are when it begins; while events are made anew it waits. The task's `refId` is the file. */
  events(filter: EventFilter, format: EventFormat): { taskId: string }
  /** The hand-off list of holds: written at once, it is short. */
  handOff(all: boolean): { fileId: string; name: string; count: number }
}

type Payload = { name: string; fileId: string } & (
  | { job: 'export'; selection: ContactSelection; columns: ContactColumn[]; tagColumns: boolean }
  | { job: 'rejected'; source: string; header: string[]; headerRows: number }
  | { job: 'events'; filter: EventFilter; format: EventFormat }
)

/** Files that are written for the operator. */
export function createExportsService(parts: {
  store: FileStore
  tasks: TasksService
  dnc: DncService
  jobFiles: JobFiles
  journalFile: string
  events: Pick<Projector, 'highestSeq' | 'whole'>
  clock: Clock
}): ExportsService {
  const { store, tasks, dnc, jobFiles, clock } = parts
  const day = () => new Date(clock.now()).toISOString().slice(0, 10)

  async function eventOrder({ filter, format }: Extract<Payload, { job: 'events' }>, signal: AbortSignal) {
    await parts.events.whole(signal)
    const { access, terms, params } = compileFilter(filter)
    const upToSeq = parts.events.highestSeq()
    const { journalFile } = parts
    const condition = { access, terms, params }
    return { job: 'events' as const, format, journalFile, condition, afterSeq: 0, upToSeq }
  }

  tasks.define<Payload>('export', {
    unit: 'rows',
    canPause: true,
    resumable: true,
    async run(context) {
      const { payload } = context
      const target = store.path(payload.fileId)
      const { rows } =
        payload.job === 'export'
          ? await runTaskJob({ ...jobFiles, ...payload, target }, context)
          : payload.job === 'rejected'
            ? await runTaskJob({ ...jobFiles, ...payload, target }, context)
            : await runTaskJob(
                { ...jobFiles, ...(await eventOrder(payload, context.signal)), target },
                context,
              )
      store.finish(payload.fileId)
      context.report({ done: rows, total: rows, counts: { rows } })
    },
  })

  return {
    contacts(input) {
      const name = `contacts-${day()}.csv`
      const { fileId } = store.create(name)
      const payload: Payload = { job: 'export', name, fileId, ...input }
      return { taskId: tasks.start('export', { subject: name, payload, refId: fileId }).id }
    },
    events(filter, format) {
      // Before a task is begun for it.
      compileFilter(filter)
      const name = `events-${day()}.${format}`
      const { fileId } = store.create(name)
      const payload: Payload = { job: 'events', name, fileId, filter, format }
      return { taskId: tasks.start('export', { subject: name, payload, refId: fileId }).id }
    },
    handOff(all) {
      const holds = dnc.toHandOff(all)
      const name = `hold-hand-off-${day()}.csv`
      const { fileId, path } = store.create(name)
      const rows = holds.map(({ phone, source, evidence, since, eventSeq }) => [
        phone,
        source,
        evidence,
        since,
        eventSeq === null ? '' : String(eventSeq),
      ])
      const header = ['phone', 'source', 'evidence', 'since', 'event']
      writeFileSync(path, writeCsv([header, ...rows]), { mode: 0o600 })
      store.finish(fileId)
      dnc.handedOff(holds.map(({ id }) => id))
      return { fileId, name, count: holds.length }
    },
  }
}
