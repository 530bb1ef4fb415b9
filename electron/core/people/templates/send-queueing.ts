import { AppError } from '../../../contract/errors.ts'
import type { DncList } from '../../../contract/people/dnc.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import type { PlannedRow } from '../../../jobs/sends/plan-order.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { runTaskJob } from '../../platform/tasks/job-runner.ts'
import { type TaskContext, TaskStopped } from '../../platform/tasks/tasks.service.ts'
import { checkFresh, copyProblem } from '../dnc/dnc-list.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import { ottItem } from './ott-item.ts'
import type { OttSendsRepository, Prepared, SendOrder, StoredSend } from './ott-sends.repository.ts'
import type { PlanFiles } from './plan-files.ts'
import { repeatMs } from './send-one.ts'
import { sourceOf } from './send-source.ts'
import type { TemplatesService } from './templates.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Undo window of a send, from when all of it is queued. */
const sendGraceMs = 20_000
/** Recipients per transaction. */
const perPiece = 500
/** Recipients of each kind shown at once. */
const samples = 100

/** What another count may change. */
export type RecountChange = Partial<Pick<SendOrder, 'skipReceived' | 'sendUnplaced'>>

/** A confirmed send. A start that was ahead then and has passed since is missed. */
interface Confirmed {
  sendId: string
  uncheckedKnowingly: boolean
  confirmedMs: number
}

/** The tasks of bulk sends: the dry run, and the queueing, which counts again first. */
export function defineSendTasks(
  parts: Pick<PlatformParts, 'tasks' | 'jobFiles' | 'clock'> & {
    repository: OttSendsRepository
    files: PlanFiles
    templates: Pick<TemplatesService, 'used'>
    outbox: OutboxService
    store: FileStore
    stored: (id: string) => StoredSend
    notPossible: (send: StoredSend) => AppError
    /** Interrupts a task that starts while a person is erased. */
    stopWhileErasing: (taskId: string) => void
    dncList: () => DncList
    blockedVersion: () => string
  },
) {
  const { repository, files, outbox, tasks, jobFiles, stored, clock } = parts

  /** Plans a send and stores the plan as files. `keepsRows`: those of its file, too. */
  async function plan(
    { id, templateId }: StoredSend,
    order: SendOrder,
    { from, header }: Pick<Prepared, 'from' | 'header'>,
    context: TaskContext<unknown>,
    keepsRows = false,
  ): Promise<Prepared> {
    const { skipReceived, startAt, hours, sendUnplaced } = order
    // Holds and DNC entries that come meanwhile may be missed.
    const countedMs = clock.now()
    const blockedVersion = parts.blockedVersion()
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
        skipReceived,
        startMs: Math.max(clock.now(), startAt === null ? 0 : Date.parse(startAt)),
        hours,
        sendUnplaced,
        targets: { ...files.paths(id), ...(keepsRows ? { rows: files.sourceOf(id) } : {}) },
        samples,
      },
      context,
    )
    const { counts } = result
    context.report({ done: counts.recipients, total: counts.recipients, counts: { ...counts } })
    return { ...result, from, header, changedFrom: null, countedMs, blockedVersion }
  }

  /** Plans a prepared send again. */
  async function replan(send: StoredSend, order: SendOrder, context: TaskContext<unknown>) {
    if (send.plan === null || ('file' in send.plan.from && !files.hasSource(send.id)))
      throw new AppError('SEND_PLAN_GONE')
    const { from } = send.plan
    // A restored backup has it in another folder.
    const kept = 'file' in from ? { ...from, ...withFile(from, files.sourceOf(send.id)) } : from
    return plan(send, order, { from: kept, header: send.samples?.header ?? null }, context)
  }

  /** The send of its last task. An earlier one, resumed, must not change what a later one counted or queued. */
  async function sendOf(context: TaskContext<{ sendId: string }>): Promise<StoredSend> {
    // A new task becomes its send's after its start.
    await context.pausePoint()
    parts.stopWhileErasing(context.id)
    await context.pausePoint()
    const send = stored(context.payload.sendId)
    if (send.taskId !== context.id) throw parts.notPossible(send)
    return send
  }

  tasks.define<{ sendId: string; change?: RecountChange }>('ott-prepare', {
    unit: 'recipients',
    canPause: true,
    resumable: true,
    async run(context) {
      const send = await sendOf(context)
      const order = { ...send.order, ...context.payload.change }
      if (send.plan !== null)
        return repository.setPrepared(send.id, order, await replan(send, order, context))
      const source = await sourceOf(order.source, {
        store: parts.store,
        language: jobFiles.language,
      })
      repository.setPrepared(send.id, order, await plan(send, order, source, context, 'file' in source.from))
    },
  })

  /** Counts a confirmed send again and begins its batch. False when its recipients or their values changed. */
  async function begin(send: StoredSend, context: TaskContext<Confirmed>): Promise<boolean> {
    const { counts: confirmed, order } = send
    const again = await replan(send, order, context)
    const isSame = again.digest === send.plan?.digest
    const { willSend } = again.counts
    repository.transaction(() => {
      repository.setPrepared(send.id, order, {
        ...again,
        changedFrom: isSame ? null : (confirmed?.willSend ?? null),
      })
      // Another run may have begun it.
      if (!isSame || stored(send.id).batchId !== null) return
      const title: Phrase = { key: 'batch.sendAll', template: send.templateName, n: willSend }
      const startMs = order.startAt === null ? null : Date.parse(order.startAt)
      const isAhead = startMs !== null && startMs > context.payload.confirmedMs
      const { batchId } = outbox.begin({
        kind: 'ott',
        title,
        open: true,
        startMs: isAhead ? startMs : null,
        unchecked: context.payload.uncheckedKnowingly && copyProblem(parts.dncList()) !== null,
      })
      repository.setBatch(send.id, batchId)
    })
    return isSame
  }

  async function queueRest(context: TaskContext<{ sendId: string }>): Promise<void> {
    const send = stored(context.payload.sendId)
    const batchId = send.batchId!
    if (send.isFullyQueued) return
    if (!files.has(send.id)) throw new AppError('SEND_PLAN_GONE')
    let { queued } = send
    const { variables: types, hours } = send.order
    const toItem = (row: PlannedRow) =>
      ottItem({ ...send, types }, { ...row, hours: row.isUnplaced ? null : hours })
    for await (const piece of files.pieces(send.id, queued, perPiece)) {
      await context.pausePoint()
      // Holds the batch until all of it is queued, so that a send never leaves in part. An undone send stops
      // here.
      if (!outbox.hold(batchId, 'open')) return
      const before = queued
      queued = piece.at(-1)!.at
      outbox.add(batchId, piece.map(toItem), () => {
        // Another run queued this piece: it is not queued twice.
        if (stored(send.id).queued !== before) throw parts.notPossible(send)
        repository.setQueued(send.id, queued)
      })
      context.report({ done: queued, total: send.counts!.willSend, counts: { queued } })
    }
    const isReleased = repository.transaction(() => {
      if (!outbox.hold(batchId, sendGraceMs)) return false
      repository.setFullyQueued(send.id)
      return true
    })
    if (!isReleased) return
    parts.templates.used(send.templateKey)
    outbox.go()
    files.dropPlan(send.id)
  }

  tasks.define<Confirmed>('ott-queue', {
    unit: 'recipients',
    canPause: true,
    resumable: true,
    async run(context) {
      const send = await sendOf(context)
      // It may be resumed long after it was confirmed.
      checkFresh(parts.dncList(), context.payload.uncheckedKnowingly)
      try {
        if (send.batchId === null && !(await begin(send, context))) return
        await queueRest(context)
      } catch (error) {
        const { batchId } = stored(send.id)
        // Cancelled by the operator before anything left: undo all of it.
        if (batchId !== null && context.signal.aborted && !(context.signal.reason instanceof TaskStopped))
          await outbox.undo({ batchId })
        throw error
      }
    },
  })
}

/** A source of a file with another path. */
function withFile(from: Extract<Prepared['from'], { file: string }>, file: string) {
  return { file, refusing: { ...from.refusing, file } }
}
