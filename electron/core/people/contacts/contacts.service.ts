import { checkConfirmed } from '../../platform/confirm.ts'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connection } from '../../../contract/connection/connections.ts'
import type {
  ContactDetail,
  ContactDraft,
  ContactFilter,
  ContactRow,
  ContactSelection,
  contactsContract,
} from '../../../contract/people/contacts.ts'
import type { DncList } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import {
  type StoreDraft,
  type StoreRow,
  changedHere,
  contactStates,
  marks,
  stateOf,
} from '../../../jobs/contact-store/store-types.ts'
import { isOtherToStore } from '../../../jobs/contact-store/other-readings.ts'
import { isSameAtService } from '../../../jobs/contact-store/merge-row.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { type ContactFields, fieldProblem } from '../../../lib/contact-fields.ts'
import { possibleNumbers } from '../../../lib/phone/possible-numbers.ts'
import { isPhoneRegion, parsePhone } from '../../../lib/phone/parse-phone.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import { checkFresh } from '../dnc/dnc-list.ts'
import type { NumberFacts } from '../dnc/dnc.service.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import type { ContactStore } from '../contact-store/contact-store-client.ts'
import { createContactDeletions } from './contact-deletions.ts'
import { type ContactList, toContactRow } from '../contact-store/contact-list.ts'
import { replacingOf } from './replaced-records.ts'
import { createContactRequests, isNameless, isReplaced, leftOut } from './contact-requests.ts'

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
const gaps = { minGapMs: 250, maxGapMs: 60_000 }
/** What each kind of bulk work counts. */
const countNames = { 'bulk-push': 'queued', 'bulk-delete': 'deleted', 'bulk-tag': 'changed' } as const

/** How bulk work reports to its task and is paused. */
interface Control {
  report(progress: { done: number; counts?: Record<string, number> }): void
  pausePoint(): Promise<void>
}
/** For work done at once, without a task. */
const uncontrolled: Control = { report() {}, pausePoint: () => Promise.resolve() }

export type ContactsService = ReturnType<typeof createContactsService>

export function createContactsService(parts: {
  contactStore: ContactStore
  list: ContactList
  outbox: OutboxService
  tasks: TasksService
  client: ServiceClient
  factsOf: (digits: number, others?: readonly number[]) => NumberFacts
  dncList: () => DncList
  /** Why a number must not be contacted now; null if it may. */
  blockedBecause: (digits: number, others?: readonly number[]) => AppError | null
  importName: (importId: string) => string | null
  connection: () => Connection
  clock: Clock
  log: Log
}) {
  const { contactStore, list, outbox, tasks, client, clock } = parts
  const { pushRows, deleteRows, queueEdit } = createContactRequests(parts)
  const deletions = createContactDeletions({ ...parts, deleteRows })
  const pulse = createPulse()
  contactStore.onChange(() => pulse.fire())

  function check(fields: ContactFields): void {
    const problem = fieldProblem(fields)
    if (problem !== null) throw new AppError('INVALID_INPUT', { detail: problem })
  }

  /** Validates a form by the rules of an import. Throws PHONE_INVALID, INVALID_INPUT. */
  function toDraft({ phone, region, tags, ...texts }: ContactDraft): StoreDraft {
    const parsed = parsePhone(phone, { region: region && isPhoneRegion(region) ? region : 'US' })
    if (!parsed.ok) throw new AppError('PHONE_INVALID', { phone, reason: parsed.reason })
    const [name, firstName, lastName, email] = [texts.name, texts.firstName, texts.lastName, texts.email].map(
      (text) => text.trim(),
    ) as [string, string, string, string]
    const tagsJson = JSON.stringify(tags)
    for (const part of [name, firstName, lastName]) check({ name: part, email, tagsJson, note: '' })
    const fields = { name, firstName, lastName, email, tagsJson }
    const { digits, other } = parsed
    return { digits, others: isOtherToStore(digits, other) ? [other] : [], ...fields }
  }

  /** The marks that come only from unreadable entries. */
  function unsureOf(row: StoreRow): ContactRow['unsure'] {
    if ((row.marks & (marks.dnc | marks.held)) === 0) return []
    const { dncEntry, hold } = parts.factsOf(row.digits)
    return [
      ...(dncEntry?.isSure === false ? ['dnc' as const] : []),
      ...(hold?.isSure === false ? ['held' as const] : []),
    ]
  }

  /** Converts rows to the contract, with the state of their old records from the outbox. */
  function view(rows: readonly StoreRow[]): ContactRow[] {
    const old = outbox.oldRecordsOf(rows.map(({ id }) => id))
    return rows.map((row) => {
      const records = old.get(row.id)
      return toContactRow(row, {
        replacing: records ? replacingOf({ state: stateOf(row), serviceId: row.serviceId }, records) : null,
        unsure: unsureOf(row),
      })
    })
  }

  function get(id: number): ContactDetail {
    const found = list.detail(id)
    if (!found) throw new AppError('NOT_FOUND', { what: { key: 'what.contact' } })
    const { serviceId } = found.row
    const answer = serviceId === null ? null : outbox.answerOfContact(id, serviceId)
    return {
      contact: view([found.row])[0]!,
      firstName: found.row.firstName,
      lastName: found.row.lastName,
      note: found.note,
      ...parts.factsOf(found.row.digits),
      importId: found.importId,
      importName: found.importId === null ? null : parts.importName(found.importId),
      lastProblem: found.lastProblem,
      atService: answer && { createdAt: answer.createdAt, updatedAt: answer.updatedAt },
    }
  }

  /** Marks the contact as on the service, unchanged, under this id. */
  const adopt = (
    contactId: number,
    serviceId: string,
    { name, email, tagsJson }: Pick<StoreDraft, 'name' | 'email' | 'tagsJson'>,
  ) =>
    contactStore.applyOutbox([
      { contactId, state: 'service', serviceId, problem: null, sent: { name, email, tagsJson } },
    ])

  /** The current DNC and hold marks of a number, as bits. Later changes reach the contact as updates. */
  function marksOf({ digits, others }: StoreDraft): number {
    const { dncEntry, hold } = parts.factsOf(digits, others)
    return (dncEntry ? marks.dnc : 0) | (hold ? marks.held : 0)
  }

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
  async function run(
    kind: 'bulk-push' | 'bulk-delete' | 'bulk-tag',
    subject: Phrase,
    payload: Bulk,
    count: number,
  ): Promise<string | null> {
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
    kind: 'bulk-push' | 'bulk-delete' | 'bulk-tag',
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
    async list(query: Parameters<ContactList['page']>[0]): Promise<Output<'list'>> {
      const page = await list.page(query)
      return { ...page, items: view(page.items), asOf: isoTime(clock.now()) }
    },
    count: async (filter: ContactFilter): Promise<{ value: number; exact: boolean }> => ({
      value: await contactStore.reads.count(filter),
      exact: true,
    }),
    async summary(): Promise<Output<'summary'>> {
      const { total, byState, dnc, held, unreadableTags } = await contactStore.reads.figures()
      const others = Object.values(byState).reduce((sum, n) => sum + n, 0)
      return {
        total,
        byState: Object.fromEntries(
          contactStates.map((state, at) => [state, at === 0 ? total - others : (byState[at] ?? 0)]),
        ),
        dnc,
        held,
        unreadableTags,
        version: list.version(),
        asOf: isoTime(clock.now()),
      }
    },
    async *watch(signal: AbortSignal): AsyncGenerator<{ version: number }> {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield { version: list.version() }
    },
    tagKeys: async (): Promise<Output<'tagKeys'>> => ({ keys: await contactStore.reads.tagKeys() }),
    get,
    byPhone(phone: string): ContactRow | null {
      const digits = Number(phone.replace(/\D/g, ''))
      const row = Number.isSafeInteger(digits) ? list.byDigits([digits])[0] : undefined
      return row ? view([row])[0]! : null
    },
    relatedNumbers: list.relatedNumbers,
    /**
     * One look-up for all numbers, because lists ask with every page of rows. A number that may be another contact's too has no name.
     */
    names(numbers: readonly string[]): Output<'names'> {
      const { country } = parts.connection()
      const read = numbers.map((number) => possibleNumbers(number, country))
      const known = list.byDigits(read.flatMap(({ all }) => all))
      const names = new Map(known.map(({ digits, name }) => [digits, name]))
      const blockedBy = (digits: number, all: readonly number[]) => {
        const { dncEntry, hold } = parts.factsOf(digits, all)
        return dncEntry ? 'dnc' : hold ? 'hold' : null
      }
      return {
        names: read.map(({ digits, all }) => {
          const isShared = all.some((other) => other !== digits && names.has(other))
          return digits === null || isShared ? null : (names.get(digits) ?? null)
        }),
        blocked: read.map(({ digits, all }) => (digits === null ? null : blockedBy(digits, all))),
      }
    },
    async create({ serviceId, ...draft }: Input<'create'>): Promise<ContactDetail> {
      const next = toDraft(draft)
      const known = serviceId === undefined ? undefined : list.byDigits([next.digits])[0]
      if (serviceId === undefined || !known || known.serviceId !== null) {
        const { id } = await contactStore.create(next, marksOf(next), clock.now())
        if (serviceId !== undefined) await adopt(id, serviceId, next)
        return get(id)
      }
      if (outbox.openOfContact(known.id).length > 0 || stateOf(known) === 'unknown')
        throw new AppError('CONTACT_BUSY')
      await adopt(known.id, serviceId, known)
      return get(known.id)
    },
    async update(id: number, draft: ContactDraft, basedOn: string | undefined): Promise<ContactDetail> {
      const read = list.rows([id])[0]
      if (!read) throw new AppError('NOT_FOUND', { what: { key: 'what.contact' } })
      if (basedOn !== undefined && Date.parse(basedOn) !== read.updatedMs)
        throw new AppError('CONTACT_CHANGED')
      // The contact may not have the id of a new record yet.
      const before = { ...read, serviceId: outbox.unappliedOfContact(id)?.serviceId ?? read.serviceId }
      const open = outbox.openOfContact(id)
      if (open.some(outbox.isSettling)) throw new AppError('CONTACT_BUSY')
      const typed = toDraft(draft)
      // The person's other numbers stay when one is corrected.
      const next = { ...typed, others: [...new Set([...typed.others, ...list.otherReadings(before.digits)])] }
      if (next.digits === before.digits && isSameAtService(next, before)) {
        const isSame = next.firstName === before.firstName && next.lastName === before.lastName
        const bits = marksOf(next) | (before.marks & changedHere)
        if (!isSame) await contactStore.update(id, next, bits, clock.now())
        return get(id)
      }
      const blocked = before.serviceId === null ? null : parts.blockedBecause(next.digits, next.others)
      if (blocked) throw new AppError('EDIT_BLOCKED', blocked.data)
      // A record with an unknown id can't be replaced, so it stays outdated.
      const stays = stateOf(before) === 'service' && before.serviceId === null
      await outbox.editing(id, async () => {
        const bits = marksOf(next) | (stays ? changedHere : 0)
        const row = await contactStore.update(id, next, bits, clock.now())
        if (before.serviceId !== null || outbox.openOfContact(id).length > 0) queueEdit(before, row)
      })
      await outbox.effectsApplied()
      return get(id)
    },
    async setNote(id: number, note: string): Promise<ContactDetail> {
      check({ name: '', email: '', tagsJson: '{}', note })
      await contactStore.setNote(id, note, clock.now())
      return get(id)
    },
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
    async undoTags(batchId: string): Promise<Output<'undoTags'>> {
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
    async delete(selection: ContactSelection, confirmName: string | undefined): Promise<Output<'delete'>> {
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
    /** Resumes work that a crash interrupted. Call before the outbox starts. */
    start: deletions.start,
  }
}
