import { checkConfirmed } from '../../platform/confirm.ts'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import { saidOf, storedText } from '../../../contract/phrases.ts'
import { randomUUID } from 'node:crypto'
import type { DncList } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import type { BulkSend, PlannedRecipient, templatesContract } from '../../../contract/people/templates.ts'
import type { PlannedRow } from '../../../jobs/sends/plan-order.ts'
import { isoTime, utcDay } from '../../../lib/iso-time.ts'
import { parsePhone } from '../../../lib/phone/parse-phone.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { inspectNumbers, readingOf } from '../tables.ts'
import { openItems } from '../outbox/outbox-batches.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import { runJob, runTaskJob } from '../../platform/tasks/job-runner.ts'
import { isUnderWay } from '../../platform/tasks/tasks.service.ts'
import { checkMapping } from './check-mapping.ts'
import type { OttSendsRepository, StoredSend } from './ott-sends.repository.ts'
import type { PlanFiles } from './plan-files.ts'
import { forecastSend } from './send-forecast.ts'
import type { SendOne } from './send-one.ts'
import { defineSendTasks, type RecountChange } from './send-queueing.ts'
import { skippedTable, sourceOf } from './send-source.ts'
import type { SentMessages } from './sent-messages.ts'
import type { TemplatesService } from './templates.service.ts'
import { checkFresh } from '../dnc/dnc-list.ts'
import type { ServiceParts } from '../../service/parts.ts'

type Contract = typeof templatesContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

/** Dry runs not continued within this time are removed. */
const preparedMaxAgeMs = 7 * 24 * 3_600_000

/** States in which a dry run can be repeated. */
const countable: readonly BulkSend['state'][] = ['prepared', 'failed', 'stopped']

/** States of a fully queued send. */
const queuedStates = {
  open: 'queued',
  done: 'finished',
  'in-part': 'finished-in-part',
  rejected: 'rejected',
} as const

export type OttSendsService = ReturnType<typeof createOttSendsService>

/** Sends to many recipients: a dry run in a job thread, then all of it goes to the outbox as one batch, or nothing. */
export function createOttSendsService(
  parts: Pick<ServiceParts, 'tasks' | 'jobFiles' | 'client' | 'connection' | 'clock'> & {
    repository: OttSendsRepository
    files: PlanFiles
    templates: TemplatesService
    outbox: OutboxService
    store: FileStore
    sent: SentMessages
    sendOne: Pick<SendOne, 'queue'>
    dncList: () => DncList
    blockedVersion: () => string
  },
) {
  const { repository, files, templates, outbox, tasks, store, jobFiles, client, clock } = parts
  const uploads = { store, language: jobFiles.language }

  function stored(id: string): StoredSend {
    const send = repository.get(id)
    if (!send) throw new AppError('NOT_FOUND', { what: { key: 'what.send' } })
    return send
  }

  function stateOf(send: StoredSend): BulkSend['state'] {
    const task = tasks.find(send.taskId)
    const goesOn = task !== undefined && isUnderWay(task)
    if (send.batchId !== null) {
      const batch = outbox.batch(send.batchId)
      if (batch?.isUndone) return outbox.leftOf(send.batchId) > 0 ? 'undone-in-part' : 'undone'
      if (send.isFullyQueued && batch?.state === 'missed') return 'start-missed'
      if (send.isFullyQueued && (batch?.startMs ?? null) !== null) return 'scheduled'
      if (send.isFullyQueued) return queuedStates[parts.sent.stateOf(send.batchId)]
      return goesOn ? 'queueing' : 'queueing-stopped'
    }
    if (goesOn && task.kind === 'ott-queue') return 'queueing'
    if (goesOn) return 'preparing'
    // Its counts, if any, no longer prove who gets it.
    if (task?.state === 'failed') return 'failed'
    return send.counts === null ? 'stopped' : 'prepared'
  }

  function view(send: StoredSend): BulkSend {
    const state = stateOf(send)
    const batch = send.batchId === null ? null : outbox.batch(send.batchId)
    const holdUntilMs = state === 'queued' || state === 'scheduled' ? (batch?.holdUntilMs ?? null) : null
    const { startAt, hours, skipReceived, sendUnplaced } = send.order
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
      startAt: batch === null ? startAt : isoTime(batch.startMs),
      hours,
      skipReceived,
      sendUnplaced,
      digest: send.plan?.digest ?? null,
      changedFrom: send.plan?.changedFrom ?? null,
      sentBy: send.plan?.sentBy ?? [],
      mixed: send.plan?.mixed ?? [],
      countedAt: isoTime(send.plan?.countedMs ?? null),
      queued: send.queued,
      batchId: send.batchId,
      undoableUntil: holdUntilMs !== null && holdUntilMs > clock.now() ? isoTime(holdUntilMs) : null,
      createdAt: isoTime(batch?.createdMs ?? send.createdMs),
    }
  }

  const progressOf = (batchId: string | null) => ({
    outcome: batchId === null ? null : outbox.countsOf(batchId),
    waitsFor: batchId === null ? null : outbox.waitsFor(batchId),
  })

  /** When a send that has not begun will leave; null without counts, and once it began. */
  function forecastOf({ batchId, counts, byCountry }: StoredSend, shown: BulkSend, requestsAhead: number) {
    if (!counts || !byCountry || (batchId !== null && shown.state !== 'scheduled')) return null
    const { startAt, hours } = shown
    const { willSend } = counts
    // Those ahead leave at the same rate.
    const allMs = willSend === 0 ? 0 : client.budget.estimateMs(willSend + requestsAhead)
    const takesMs = (allMs * willSend) / (willSend + requestsAhead || 1)
    return forecastSend({
      startMs: Math.max(startAt === null ? 0 : Date.parse(startAt), clock.now() + allMs - takesMs),
      takesMs,
      hours,
      byCountry: hours ? byCountry : { '': willSend },
    })
  }

  /** Once messages leave, at their own rate. */
  const etaOf = (toGo: number | null, requestsAhead: number, isQueued: boolean): number | null => {
    if (toGo === null) return null
    return isQueued ? outbox.etaMs(toGo) : client.budget.estimateMs(toGo + requestsAhead)
  }

  function drain() {
    const { state, problem } = outbox.drain()
    return { state, problem }
  }

  const notPossible = (send: StoredSend) =>
    new AppError('SEND_NOT_POSSIBLE', { state: { key: `sendState.${stateOf(send)}` } })

  /** Erasures that run. */
  let erasures = 0
  /** Tasks that go on after the erasures. */
  const stopped = new Set<string>()
  function stop(taskId: string): Promise<void> {
    stopped.add(taskId)
    return tasks.interrupt(taskId)
  }

  defineSendTasks({
    ...parts,
    stored,
    notPossible,
    stopWhileErasing: (taskId) => void (erasures > 0 && stop(taskId)),
  })
  outbox.onUndone((batchId) => {
    const id = repository.ofBatch(batchId)
    if (id !== undefined) files.dropPlan(id)
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
        else if (send.isFullyQueued || outbox.batch(send.batchId ?? '')?.isUndone) files.dropPlan(send.id)
        else if (send.batchId === null && send.createdMs < oldestMs) repository.remove(send.id)
      }
      files.sweep((sendId) => repository.get(sendId) !== null)
    },
    inspectFile: ({ fileId }: Input<'inspectFile'>): Promise<Output<'inspectFile'>> =>
      inspectNumbers(store, fileId, jobFiles.language),
    /** Reads the decimal marks of all number values, from every recipient. */
    async decimals({ source, mapping }: Input<'decimals'>, signal: AbortSignal): Promise<Output<'decimals'>> {
      const { from } = await sourceOf(source, uploads)
      const variables = mapping.map((one) => ({ ...one, type: 'number' as const }))
      return { items: await runJob({ ...jobFiles, job: 'ott-marks', source: from, variables }, { signal }) }
    },
    prepare({ key, channelId, source, subject, mapping, startAt, hours }: Input<'prepare'>) {
      const template = templates.toSend(key)
      const { variables } = template
      const order = { source, mapping, variables, startAt, hours, skipReceived: false, sendUnplaced: false }
      checkMapping(order)
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
        order,
        createdMs: clock.now(),
      })
      const task = tasks.start('ott-prepare', { subject, payload: { sendId: id }, refId: id })
      repository.setTask(id, task.id)
      return view(stored(id))
    },
    recount({ id, skipReceived, sendUnplaced }: Input<'recount'>) {
      const send = stored(id)
      if (!countable.includes(stateOf(send))) throw notPossible(send)
      const change: RecountChange = {
        ...(skipReceived === undefined ? {} : { skipReceived }),
        ...(sendUnplaced === undefined ? {} : { sendUnplaced }),
      }
      const task = tasks.start('ott-prepare', {
        subject: saidOf(send.subject),
        payload: { sendId: id, change },
        refId: id,
      })
      repository.setTask(id, task.id)
      return view(stored(id))
    },
    sends({ limit, cursor }: Input<'sends'>) {
      const rows = repository.list(limit, cursor)
      const items = rows.map((send) => {
        const shown = view(send)
        return { ...shown, ...progressOf(shown.state === 'queued' ? send.batchId : null) }
      })
      return { items, nextCursor: rows.length < limit ? null : rows.at(-1)!.id, drain: drain() }
    },
    sendOf({ id }: Input<'sendOf'>): Output<'sendOf'> {
      const send = stored(id)
      const { outcome, waitsFor } = progressOf(send.batchId)
      const toGo = outcome && send.isFullyQueued ? openItems(outcome) : (send.counts?.willSend ?? null)
      const requestsAhead = send.batchId === null ? openItems(outbox.drain().counts) : 0
      const shown = view(send)
      const forecast = forecastOf(send, shown, requestsAhead)
      return {
        send: shown,
        first: (send.samples?.first ?? []).map(toRecipient),
        leftOut: (send.samples?.leftOut ?? []).map(toRecipient),
        etaMs: etaOf(toGo, requestsAhead, send.isFullyQueued),
        outsideHours: forecast?.outsideHours ?? 0,
        lastAt: isoTime(
          waitsFor
            ? Date.parse(waitsFor.lastAt) + client.budget.estimateMs((toGo ?? 0) + outcome!.scheduled)
            : (forecast?.lastMs ?? null),
        ),
        waitsFor,
        requestsAhead,
        reading: 'file' in send.order.source ? readingOf(send.order.source.file) : null,
        outcome,
        notSent: send.batchId === null ? { dnc: 0, held: 0, erased: 0 } : outbox.notSentIn(send.batchId),
        drain: drain(),
        test: { batchId: send.testBatchId, phone: parts.sent.testNumber() },
        dncList: parts.dncList(),
        isOutdated: send.plan !== null && send.plan.blockedVersion !== parts.blockedVersion(),
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
    queue({ id, willSend, digest, uncheckedKnowingly, confirmName }: Input<'queue'>) {
      const send = stored(id)
      const state = stateOf(send)
      if (state !== 'prepared' && state !== 'queueing-stopped') throw notPossible(send)
      if (send.plan?.digest !== digest) {
        repository.setChangedFrom(id, willSend)
        return view(stored(id))
      }
      if (willSend === 0) throw new AppError('INVALID_INPUT', { detail: { key: 'input.noRecipients' } })
      checkConfirmed(parts.connection(), confirmName)
      checkFresh(parts.dncList(), uncheckedKnowingly)
      if (!files.has(id)) throw new AppError('SEND_PLAN_GONE')
      const task = tasks.start('ott-queue', {
        subject: { key: 'subject.recipients', template: send.templateName, n: willSend },
        payload: { sendId: id, uncheckedKnowingly, confirmedMs: clock.now() },
        refId: id,
        total: willSend,
      })
      repository.setTask(id, task.id)
      return view(stored(id))
    },
    async discard({ id }: Input<'discard'>): Promise<void> {
      const send = stored(id)
      if (send.batchId !== null && stateOf(send) !== 'undone') throw notPossible(send)
      // First, so that its task can't begin a batch now.
      repository.remove(id)
      const task = tasks.find(send.taskId)
      if (task && isUnderWay(task)) {
        tasks.cancel(task)
        await tasks.ended(task.id)
      }
      files.drop(id)
    },
    /**
     * Stops dry runs and queueing, which hold recipients in memory, also those that start later. Returns a function that resumes them;
     * those that were paused wait for a person.
     */
    async interrupt(): Promise<() => void> {
      erasures++
      const running = tasks
        .list()
        .filter((task) => (task.kind === 'ott-prepare' || task.kind === 'ott-queue') && isUnderWay(task))
      await Promise.all(running.map(({ id, state }) => (state === 'paused' ? tasks.interrupt(id) : stop(id))))
      return () => {
        if (--erasures > 0) return
        for (const id of stopped) if (tasks.find(id)?.can.resume) tasks.resume({ id })
        stopped.clear()
      }
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
