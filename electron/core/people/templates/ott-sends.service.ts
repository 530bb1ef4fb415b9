import { checkConfirmed } from '../../platform/confirm.ts'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import { type Phrase, saidOf, storedText } from '../../../contract/phrases.ts'
import { randomUUID } from 'node:crypto'
import type { Connection } from '../../../contract/connection/connections.ts'
import type { DncList } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import type { BulkSend, PlannedRecipient, templatesContract } from '../../../contract/people/templates.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import type { JobOrder } from '../../../jobs/thread/jobs.ts'
import type { PlannedRow } from '../../../jobs/sends/ott-plan.ts'
import { consentColumns } from '../../../jobs/table/consent-words.ts'
import { ownColumns } from '../../../jobs/table/rejected-rows.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime, utcDay } from '../../../lib/iso-time.ts'
import { parsePhone } from '../../../lib/phone/parse-phone.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { ColumnTarget } from '../../../contract/people/imports.ts'
import { inspectFile, inspectNumbers, readingOf } from '../tables.ts'
import { openItems } from '../outbox/outbox-batches.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { runJob, runTaskJob } from '../../platform/tasks/job-runner.ts'
import {
  isUnderWay,
  type TaskContext,
  type TasksService,
  TaskStopped,
} from '../../platform/tasks/tasks.service.ts'
import { checkMapping } from './check-mapping.ts'
import { ottItem } from './ott-item.ts'
import type { OttSendsRepository, SendOrder, StoredSend } from './ott-sends.repository.ts'
import type { PlanFiles } from './plan-files.ts'
import { repeatMs, type SendOne } from './send-one.ts'
import type { SentMessages } from './sent-messages.ts'
import type { TemplatesService } from './templates.service.ts'
import { checkFresh } from '../dnc/dnc-list.ts'

type Contract = typeof templatesContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

/** Undo window of a send, from when all of it is queued. */
const sendGraceMs = 20_000
/** Dry runs not continued within this time are removed. */
const preparedMaxAgeMs = 7 * 24 * 3_600_000
/** Recipients per transaction. */
const perPiece = 500
/** Recipients of each kind shown at once. */
const samples = 100

/** States of a fully queued send. */
const queuedStates = { open: 'queued', done: 'finished', 'in-part': 'finished-in-part' } as const

/**
 * Sends to many recipients: a dry run in a job thread, then all of it goes to the outbox as one batch, or
 * nothing.
 */
export function createOttSendsService(parts: {
  repository: OttSendsRepository
  files: PlanFiles
  templates: TemplatesService
  outbox: OutboxService
  tasks: TasksService
  store: FileStore
  jobFiles: JobFiles
  client: ServiceClient
  sent: SentMessages
  sendOne: Pick<SendOne, 'queue'>
  dncList: () => DncList
  connection: () => Connection
  clock: Clock
}) {
  const { repository, files, templates, outbox, tasks, store, jobFiles, client, clock } = parts

  function stored(id: string): StoredSend {
    const send = repository.get(id)
    if (!send) throw new AppError('NOT_FOUND', { what: { key: 'what.send' } })
    return send
  }

  function stateOf(send: StoredSend): BulkSend['state'] {
    const task = tasks.find(send.taskId)
    const goesOn = task !== undefined && isUnderWay(task)
    if (send.batchId !== null) {
      if (outbox.batch(send.batchId)?.isUndone) return 'undone'
      if (send.isFullyQueued) return queuedStates[parts.sent.stateOf(send.batchId)]
      return goesOn ? 'queueing' : 'queueing-stopped'
    }
    if (send.counts !== null) return 'prepared'
    return goesOn ? 'preparing' : task?.state === 'failed' ? 'failed' : 'stopped'
  }

  function view(send: StoredSend): BulkSend {
    const state = stateOf(send)
    const holdUntilMs =
      state === 'queued' && send.batchId !== null ? (outbox.batch(send.batchId)?.holdUntilMs ?? null) : null
    return {
      id: send.id,
      templateKey: send.templateKey,
      templateName: send.templateName,
      body: send.body,
      channelId: send.channelId,
      subject: saidOf(send.subject),
      state,
      taskId: send.taskId,
      problem: tasks.find(send.taskId)?.problem ?? null,
      counts: send.counts,
      queued: send.queued,
      batchId: send.batchId,
      undoableUntil: holdUntilMs !== null && holdUntilMs > clock.now() ? isoTime(holdUntilMs) : null,
      createdAt: isoTime(send.createdMs),
    }
  }

  /** Where a send's recipients come from, and the columns of its file. */
  async function sourceOf({ source }: Pick<SendOrder, 'source'>): Promise<{
    from: Extract<JobOrder, { job: 'ott-plan' }>['source']
    header: string[] | null
  }> {
    if ('contacts' in source) return { from: { selection: source.contacts }, header: null }
    const { fileId, headerRow, phoneColumn, nameColumn, countryColumn = null, consent = [] } = source.file
    const { path, found, guess } = await inspectFile(store, fileId, jobFiles.language, { headerRow })
    const { format, header } = found
    const reading = readingOf(source.file)
    /** A person's other numbers may say no elsewhere in the file. */
    const columns = guess().map((target, at): ColumnTarget => {
      if (at === phoneColumn) return { to: 'phone' }
      if (at === countryColumn) return { to: 'country' }
      return target.to === 'country' ? { to: 'ignore' } : target
    })
    const refusing = {
      file: path,
      choices: {
        format,
        columns,
        defaultRegion: reading.region,
        hasCountryCodes: reading.hasCountryCodes,
        consent,
      },
      consent: consentColumns(header),
      header,
      unasked: 'skip' as const,
    }
    return { from: { file: path, format, phoneColumn, nameColumn, countryColumn, reading, refusing }, header }
  }

  /** Columns for the skipped rows of a file; null for contacts and for older dry runs. */
  function skippedTable({ samples: shown, order: { source, mapping } }: StoredSend) {
    if (!shown?.header || !('file' in source)) return null
    const { phoneColumn, nameColumn } = source.file
    const used = new Set([
      phoneColumn,
      nameColumn,
      ...mapping.map(({ source: from }) => (from.from === 'column' ? from.column : null)),
    ])
    return { header: shown.header, own: ownColumns(shown.header, (at) => used.has(at)) }
  }

  const notPossible = (send: StoredSend) =>
    new AppError('SEND_NOT_POSSIBLE', { state: { key: `sendState.${stateOf(send)}` } })

  tasks.define<{ sendId: string }>('ott-prepare', {
    unit: 'recipients',
    canPause: true,
    resumable: true,
    async run(context) {
      const { id, order, templateId } = stored(context.payload.sendId)
      const { from, header } = await sourceOf(order)
      const result = await runTaskJob(
        {
          ...jobFiles,
          job: 'ott-plan',
          source: from,
          variables: order.variables.map((variable) => ({
            ...variable,
            source: order.mapping.find(({ name }) => name === variable.name)!.source,
          })),
          templateId,
          sentSinceMs: clock.now() - repeatMs,
          targets: files.paths(id),
          samples,
        },
        context,
      )
      repository.setPrepared(id, { ...result, header })
      const { counts } = result
      context.report({ done: counts.recipients, total: counts.recipients, counts: { ...counts } })
    },
  })

  async function queueRest(context: TaskContext<{ sendId: string }>): Promise<void> {
    const send = stored(context.payload.sendId)
    const batchId = send.batchId!
    if (send.isFullyQueued) return
    if (!files.has(send.id)) throw new AppError('SEND_PLAN_GONE')
    let { queued } = send
    const toItem = (row: PlannedRow) => ottItem({ ...send, types: send.order.variables }, row)
    for await (const piece of files.pieces(send.id, queued, perPiece)) {
      await context.pausePoint()
      // Holds the batch until all of it is queued, so that a send never leaves in part. An undone send stops
      // here.
      if (!outbox.hold(batchId, 'open')) return
      const before = queued
      queued = piece.at(-1)!.at
      outbox.add(batchId, piece.map(toItem), () => {
        // Another run queued this piece: it is not queued twice.
        if (stored(send.id).queued !== before) throw notPossible(send)
        repository.setQueued(send.id, queued)
      })
      context.report({ done: queued, counts: { queued } })
    }
    const isReleased = repository.transaction(() => {
      if (!outbox.hold(batchId, sendGraceMs)) return false
      repository.setFullyQueued(send.id)
      return true
    })
    if (!isReleased) return
    templates.used(send.templateKey)
    outbox.go()
    files.dropPlan(send.id)
  }

  tasks.define<{ sendId: string }>('ott-queue', {
    unit: 'recipients',
    canPause: true,
    resumable: true,
    async run(context) {
      try {
        await queueRest(context)
      } catch (error) {
        const { signal, payload } = context
        // Cancelled by the operator before anything left: undo all of it.
        if (signal.aborted && !(signal.reason instanceof TaskStopped))
          await outbox.undo(stored(payload.sendId).batchId!)
        throw error
      }
    },
  })

  tasks.define<{ sendId: string; fileId: string; what: 'all' | 'left-out' }>('ott-results', {
    unit: 'rows',
    canPause: true,
    resumable: true,
    async run(context) {
      const { sendId, fileId, what } = context.payload
      const send = stored(sendId)
      const { rows } = await runTaskJob(
        {
          ...jobFiles,
          job: 'ott-results',
          batchId: what === 'all' ? send.batchId : null,
          left: files.paths(sendId).left,
          table: what === 'all' ? null : skippedTable(send),
          target: store.path(fileId),
          variables: send.order.variables.map(({ name }) => name),
        },
        context,
      )
      store.finish(fileId)
      context.report({ done: rows, total: rows, counts: { rows } })
    },
  })

  return {
    /** Keeps sends that were being queued on hold. Call before the outbox starts. */
    start() {
      const oldestMs = clock.now() - preparedMaxAgeMs
      const all = repository.list(1_000_000, undefined)
      for (const send of all) {
        const state = stateOf(send)
        if (state === 'queueing-stopped') outbox.hold(send.batchId!, 'open')
        else if (send.isFullyQueued) files.dropPlan(send.id)
        else if (send.batchId === null && send.createdMs < oldestMs) repository.remove(send.id)
      }
      files.sweep((sendId) => repository.get(sendId) !== null)
    },
    inspectFile: (fileId: string): Promise<Output<'inspectFile'>> =>
      inspectNumbers(store, fileId, jobFiles.language),
    /** Reads the decimal marks of all number values, from every recipient. */
    async decimals(
      { source, mapping }: Input<'decimals'>,
      signal?: AbortSignal,
    ): Promise<Output<'decimals'>> {
      const { from } = await sourceOf({ source })
      const variables = mapping.map((one) => ({ ...one, type: 'number' as const }))
      return { items: await runJob({ ...jobFiles, job: 'ott-marks', source: from, variables }, { signal }) }
    },
    /** Reads the columns about consent of the whole file. */
    async consent(
      source: Input<'consent'>['source'],
      signal?: AbortSignal,
    ): Promise<Output<'consent'>['items']> {
      const { from } = await sourceOf({ source })
      if ('selection' in from) return []
      return (await runJob({ job: 'import-consent', ...from.refusing }, { signal })).columns
    },
    prepare({ key, channelId, source, subject, mapping }: Input<'prepare'>) {
      const template = templates.toSend(key)
      const { variables } = template
      checkMapping({ source, mapping, variables })
      if ('file' in source) store.complete(source.file.fileId)
      const id = randomUUID()
      repository.add({
        id,
        templateKey: key,
        templateId: template.serviceId,
        templateName: template.name || template.serviceId,
        body: template.body,
        channelId,
        subject: storedText(subject),
        order: { source, mapping, variables },
        createdMs: clock.now(),
      })
      const task = tasks.start('ott-prepare', { subject, payload: { sendId: id }, refId: id })
      repository.setTask(id, task.id)
      return view(stored(id))
    },
    list(limit: number, cursor: string | undefined) {
      const rows = repository.list(limit, cursor)
      return { items: rows.map(view), nextCursor: rows.length < limit ? null : rows.at(-1)!.id }
    },
    get(id: string): Output<'sendOf'> {
      const send = stored(id)
      const outcome = send.batchId === null ? null : outbox.countsOf(send.batchId)
      const toGo = outcome && send.isFullyQueued ? openItems(outcome) : (send.counts?.willSend ?? null)
      const requestsAhead = send.batchId === null ? openItems(outbox.drain().counts) : 0
      return {
        send: view(send),
        first: (send.samples?.first ?? []).map(toRecipient),
        leftOut: (send.samples?.leftOut ?? []).map(toRecipient),
        etaMs: toGo === null ? null : client.budget.estimateMs(toGo + requestsAhead),
        requestsAhead,
        reading: 'file' in send.order.source ? readingOf(send.order.source.file) : null,
        outcome,
        test: { batchId: send.testBatchId, phone: parts.sent.testNumber() },
        dncList: parts.dncList(),
        asOf: isoTime(clock.now()),
      }
    },
    async recipient({ id, find }: Input<'recipient'>) {
      const { order } = stored(id)
      const reading = 'file' in order.source ? readingOf(order.source.file) : { region: 'US' }
      const parsed = 'phone' in find ? parsePhone(find.phone, reading) : null
      const phone = parsed?.ok ? parsed.e164 : 'phone' in find ? find.phone.trim() : null
      const row = await files.find(id, (one) =>
        'at' in find ? one.leftOut === null && one.at === find.at : one.phone === phone,
      )
      return { recipient: row && toRecipient(row) }
    },
    async test({ id, at, to, region, uncheckedKnowingly, confirmName }: Input<'test'>) {
      const prepared = () => {
        const now = stored(id)
        if (stateOf(now) !== 'prepared') throw notPossible(now)
        return now
      }
      const send = prepared()
      checkConfirmed(parts.connection(), confirmName)
      const row = await files.find(id, (one) => one.leftOut === null && one.at === at)
      if (!row) throw new AppError('SEND_PLAN_GONE')
      const { batchId } = await parts.sendOne.queue({
        to,
        region,
        uncheckedKnowingly,
        // It may have been queued or removed meanwhile.
        checkWanted: prepared,
        kind: 'test',
        title: (phone) => ({ key: 'batch.sendTest', template: send.templateName, phone }),
        message: { ...send, types: send.order.variables },
        // Not the recipient's name or contact: nothing must look as if they had got it.
        recipient: { name: '', contactId: null, values: row.values, valuesOf: row.phone },
      })
      repository.setTest(id, batchId)
      return { batchId }
    },
    queue({ id, uncheckedKnowingly, confirmName }: Input<'queue'>) {
      const send = stored(id)
      const state = stateOf(send)
      if (state !== 'prepared' && state !== 'queueing-stopped') throw notPossible(send)
      if (send.counts!.willSend === 0)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.noRecipients' } })
      checkConfirmed(parts.connection(), confirmName)
      checkFresh(parts.dncList(), uncheckedKnowingly)
      if (!files.has(id)) throw new AppError('SEND_PLAN_GONE')
      const { willSend } = send.counts!
      if (send.batchId === null)
        repository.transaction(() => {
          const title: Phrase = { key: 'batch.sendAll', template: send.templateName, n: willSend }
          repository.setBatch(id, outbox.begin({ kind: 'ott', title, open: true }).batchId)
        })
      const task = tasks.start('ott-queue', {
        subject: { key: 'subject.recipients', template: send.templateName, n: willSend },
        payload: { sendId: id },
        refId: id,
        total: willSend,
      })
      repository.setTask(id, task.id)
      return view(stored(id))
    },
    discard(id: string) {
      const send = stored(id)
      const state = stateOf(send)
      if (send.batchId !== null && state !== 'undone') throw notPossible(send)
      if (state === 'preparing' && send.taskId !== null) tasks.cancel(send.taskId)
      repository.remove(id)
      files.drop(id)
    },
    exportResults({ id, what }: Input<'exportResults'>) {
      const send = stored(id)
      const day = utcDay(clock.now())
      const name = `${what === 'all' ? 'send-results' : 'send-skipped'}-${day}.csv`
      const { fileId } = store.create(name)
      const task = tasks.start('ott-results', {
        subject: { key: 'subject.resultsOf', file: name, template: send.templateName },
        payload: { sendId: id, fileId, what },
        refId: fileId,
      })
      return { taskId: task.id }
    },
  }
}

const toRecipient = ({ at, phone, name, values, leftOut, reason }: PlannedRow): PlannedRecipient => ({
  at,
  phone,
  name,
  values: leftOut === null ? values : [],
  leftOut,
  reason,
})
