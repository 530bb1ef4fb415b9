import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import { AppError } from '../../../contract/errors.ts'
import type { ContactSelection, contactsContract } from '../../../contract/people/contacts.ts'
import type { DncList } from '../../../contract/people/dnc.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import { type StoreRow, stateOf } from '../../../jobs/contact-store/store-types.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { checkConfirmed } from '../../platform/confirm.ts'
import type { ContactList } from '../contact-store/contact-list.ts'
import { checkFresh } from '../dnc/dnc-list.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import type { createContactDeletions } from './contact-deletions.ts'
import { type createContactRequests, isNameless, isReplaced, leftOut } from './contact-requests.ts'
import type { PeopleParts } from '../parts.ts'

type Contract = typeof contactsContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

/** Contacts read per query. */
const perPiece = 1_000
/** Contacts processed before yielding: about 20 ms of the core thread. */
const perTurn = 250
/** Largest selection processed at once. Larger ones become a task. */
const atOnce = 2_000
/** Undo window of a bulk tag change. */
const tagUndoMs = 600_000
const countNames = { 'bulk-push': 'queued', 'bulk-delete': 'deleted', 'bulk-tag': 'changed' } as const
type BulkKind = keyof typeof countNames

/** How bulk work reports to its task and is paused. */
interface Control {
  report(progress: { done: number; counts?: Record<string, number> }): void
  pausePoint(): Promise<void>
}
/** For work done at once, without a task. */
const uncontrolled: Control = { report() {}, pausePoint: () => Promise.resolve() }

export function createContactBulk(
  parts: Pick<PeopleParts, 'contactStore' | 'tasks' | 'client' | 'connection' | 'clock'> & {
    list: ContactList
    outbox: OutboxService
    dncList: () => DncList
    pushRows: ReturnType<typeof createContactRequests>['pushRows']
    deletions: ReturnType<typeof createContactDeletions>
  },
) {
  const { contactStore, list, outbox, tasks, client, pushRows, deletions, clock } = parts

  /** Calls `work` with every contact of a selection, in pieces, until it returns false. */
  async function walk(
    selection: ContactSelection,
    work: (rows: StoreRow[]) => boolean | Promise<boolean>,
  ): Promise<void> {
    for (let after = 0; ;) {
      const ids = await contactStore.reads.ids(selection, after, perPiece)
      if (ids.length === 0) return
      for (let at = 0; at < ids.length; at += perTurn) {
        if (!(await work(list.rows(ids.slice(at, at + perTurn))))) return
        await nextTurn()
      }
      after = ids.at(-1)!
    }
  }

  async function countOf(selection: ContactSelection): Promise<number> {
    if ('ids' in selection) return list.rows(selection.ids).length
    const { filter, exceptIds, upToId } = selection
    let count = (await contactStore.reads.count(filter)) - list.rows(exceptIds).length
    if (upToId === undefined) return Math.max(0, count)
    // Subtracts contacts created after the preview; there are few.
    for (let after = upToId; ;) {
      const later = await contactStore.reads.ids({ filter, exceptIds }, after, perPiece)
      if (later.length === 0) return Math.max(0, count)
      count -= later.length
      after = later.at(-1)!
    }
  }

  /** Processes small selections at once, large ones as a task. */
  async function run(kind: BulkKind, subject: Phrase, payload: Bulk, count: number): Promise<string | null> {
    if (count > atOnce)
      return tasks.start(kind, { subject, payload, refId: payload.batchId, total: count }).id
    await work(kind, payload, uncontrolled)
    return null
  }

  interface Bulk {
    selection: ContactSelection
    batchId: string | null
    set?: Record<string, string>
    remove?: string[]
    leaveOutNameless?: boolean
    /** Tag changes: the batch with the former tags, or the one to undo. */
    tagBatchId?: string
    undoes?: boolean
  }

  async function undoTags(batchId: string, control: Control): Promise<{ restored: number; left: number }> {
    const total = { restored: 0, left: 0 }
    for (let more = true; more;) {
      await control.pausePoint()
      const step = await contactStore.undoTags(batchId, perPiece, clock.now())
      total.restored += step.restored
      total.left += step.left
      more = step.more
      control.report({ done: total.restored + total.left, counts: { ...total } })
    }
    return total
  }

  async function work(
    kind: BulkKind,
    { selection, batchId, set = {}, remove = [], leaveOutNameless = false, tagBatchId, undoes }: Bulk,
    control: Control,
  ): Promise<void> {
    if (kind === 'bulk-tag' && undoes) return void (await undoTags(tagBatchId!, control))
    let done = 0
    let changed = 0
    const report = (rows: number, more: number) => {
      done += rows
      changed += more
      control.report({ done, counts: { [countNames[kind]]: changed } })
    }
    if (kind === 'bulk-tag') {
      for (let afterId: number | null = 0; afterId !== null;) {
        await control.pausePoint()
        const undo = tagBatchId === undefined ? null : { id: tagBatchId, untilMs: clock.now() + tagUndoMs }
        const step = await contactStore.tag(
          { selection, set, remove, afterId, limit: perPiece, undo },
          clock.now(),
        )
        report(step.seen, step.changed)
        afterId = step.nextAfterId
      }
      return
    }
    await walk(selection, async (rows) => {
      await control.pausePoint()
      const count =
        kind === 'bulk-push'
          ? pushRows(batchId!, rows, leaveOutNameless)
          : await deletions.mark(batchId!, rows)
      if (count !== null) report(rows.length, count)
      return count !== null
    })
    outbox.go()
  }

  for (const kind of ['bulk-push', 'bulk-delete', 'bulk-tag'] as const)
    tasks.define<Bulk>(kind, {
      unit: 'contacts',
      canPause: true,
      resumable: true,
      async run({ payload, report, pausePoint }) {
        try {
          await work(kind, payload, { report, pausePoint })
          // It may have been undone during the last step.
          await pausePoint()
        } finally {
          if (payload.batchId !== null && outbox.batch(payload.batchId)?.isUndone)
            report({ counts: { [countNames[kind]]: 0 } })
        }
      },
    })

  const contacts = (n: number): Phrase => ({ key: 'subject.contacts', n })

  return {
    async preview({ selection, action }: Input<'preview'>): Promise<Output<'preview'>> {
      const count = await countOf(selection)
      const left: Record<string, number> = {}
      let requests = 0
      let replaced = 0
      let withoutId = 0
      const nameless = { count: 0, requests: 0 }
      const upToId = list.newestId()
      if (action === 'push' || action === 'delete')
        await walk(selection, (rows) => {
          for (const row of rows) {
            const why = action === 'push' ? leftOut(row) : stateOf(row) === 'unknown' ? 'unknown' : null
            const isThere = ['service', 'discarded'].includes(stateOf(row))
            if (action === 'delete' && isThere && row.serviceId === null) withoutId++
            if (action === 'push' && why === null && isNameless(row)) {
              nameless.count++
              nameless.requests += isReplaced(row) ? 2 : 1
            }
            if (why !== null) left[why] = (left[why] ?? 0) + 1
            else if (action === 'push' && isReplaced(row)) replaced++
            else if (action === 'push' || row.serviceId !== null) requests++
          }
          return true
        })
      const allRequests = requests + 2 * replaced
      const others = allRequests - nameless.requests
      const etaMs = (many: number) => (many === 0 ? null : client.budget.estimateMs(many))
      return {
        count,
        replaced,
        requests: allRequests,
        etaMs: etaMs(allRequests),
        nameless: { count: nameless.count, otherRequests: others, otherEtaMs: etaMs(others) },
        leftOut: left,
        withoutId,
        upToId,
        dncList: parts.dncList(),
      }
    },
    async tag({ selection, set, remove }: Input<'tag'>): Promise<Output<'tag'>> {
      const count = await countOf(selection)
      const tagBatchId = randomUUID()
      const payload = { selection, batchId: null, set, remove, tagBatchId }
      const taskId = await run('bulk-tag', contacts(count), payload, count)
      return { taskId, batchId: null, count }
    },
    async tagBatch(): Promise<Output<'tagBatch'>> {
      const batch = await contactStore.tagBatch(clock.now())
      if (!batch) return { batch: null }
      const { batchId, count, untilMs } = batch
      return { batch: { batchId, count, until: isoTime(untilMs) } }
    },
    async undoTags({ batchId }: Input<'undoTags'>): Promise<Output<'undoTags'>> {
      const batch = await contactStore.tagBatch(clock.now())
      if (batch?.batchId !== batchId) throw new AppError('NOT_FOUND', { what: { key: 'what.tagChange' } })
      if (batch.count > atOnce) {
        const payload: Bulk = { selection: { ids: [] }, batchId: null, tagBatchId: batchId, undoes: true }
        const subject: Phrase = { key: 'subject.undoFor', n: batch.count }
        return {
          taskId: tasks.start('bulk-tag', { subject, payload, total: batch.count }).id,
          restored: 0,
          left: 0,
        }
      }
      return { taskId: null, ...(await undoTags(batchId, uncontrolled)) }
    },
    async push(input: Input<'push'>): Promise<Output<'push'>> {
      const { selection, uncheckedKnowingly, leaveOutNameless } = input
      checkFresh(parts.dncList(), uncheckedKnowingly)
      const count = await countOf(selection)
      const { batchId } = outbox.begin({ kind: 'push', title: { key: 'batch.push', n: count } })
      const taskId = await run('bulk-push', contacts(count), { selection, batchId, leaveOutNameless }, count)
      return { taskId, batchId, count }
    },
    async delete({ selection, confirmName }: Input<'delete'>): Promise<Output<'delete'>> {
      checkConfirmed(parts.connection(), confirmName)
      const count = await countOf(selection)
      const batchId = deletions.begin({ key: 'batch.delete', n: count }, count)
      let taskId: string | null = null
      let undoableUntil: string | null = null
      try {
        taskId = await run('bulk-delete', contacts(count), { selection, batchId }, count)
      } finally {
        // A failed deletion covers the contacts marked until then.
        if (taskId === null) undoableUntil = deletions.startUndoWindow(batchId)
      }
      return { taskId, batchId, count, undoableUntil }
    },
  }
}
