import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type {
  ContactDetail,
  ContactDraft,
  ContactRow,
  contactsContract,
  ContactReplacing,
  ContactState,
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
import { isoTime } from '../../../lib/iso-time.ts'
import { type ContactFields, fieldProblem } from '../../../lib/contact-fields.ts'
import { possibleNumbers } from '../../../lib/phone/possible-numbers.ts'
import { toPhoneRegion, parsePhone } from '../../../lib/phone/parse-phone.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import type { NumberFacts } from '../dnc/dnc-verdicts.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import { noteVersions, type SharedValues } from '../team/shared-values.ts'
import { createContactBulk } from './contact-bulk.ts'
import { createContactDeletions } from './contact-deletions.ts'
import { type ContactList, toContactRow } from '../contact-store/contact-list.ts'
import { createContactRequests } from './contact-requests.ts'
import type { OldRecord } from '../outbox/stored-item.ts'
import type { PeopleParts } from '../parts.ts'

/** With several old records, only the most urgent one is shown. */
const mostUrgentFirst: readonly ContactReplacing[] = ['unknown', 'both', 'none', 'old']

/**
 * The service's records of a contact whose record is being replaced. Records can't be changed, so for a while the service has both, or
 * none. Null when no old record is left. `state` and `serviceId` are the contact's own.
 */
export function replacingOf(
  { state, serviceId }: { state: ContactState; serviceId: string | null },
  old: readonly OldRecord[],
): ContactReplacing | null {
  const isOnItsWay = state === 'waiting' || state === 'in-flight'
  const gone = new Set(old.filter((record) => record.state === 'done').map((record) => record.serviceId))
  const found = old.map((record): ContactReplacing | null => {
    if (record.state === 'unknown') return 'unknown'
    if (record.state === 'done') return isOnItsWay && serviceId === null ? 'none' : null
    // Not an old record: either it is the contact's current one, because its replacement was cancelled, or
    // another deletion removed it.
    if (gone.has(record.serviceId)) return null
    if (state === 'service')
      return record.serviceId !== null && record.serviceId !== serviceId ? 'both' : null
    return isOnItsWay && record.state !== 'cancelled' ? 'old' : null
  })
  return mostUrgentFirst.find((one) => found.includes(one)) ?? null
}

type Contract = typeof contactsContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

const gaps = { minGapMs: 250, maxGapMs: 60_000 }
export type ContactsService = ReturnType<typeof createContactsService>

export function createContactsService(
  parts: Pick<PeopleParts, 'contactStore' | 'tasks' | 'client' | 'connection' | 'clock' | 'log'> & {
    list: ContactList
    shared: SharedValues
    outbox: OutboxService
    factsOf: (digits: number, others?: readonly number[]) => NumberFacts
    dncList: () => DncList
    /** Why a number must not be contacted now; null if it may. */
    blockedBecause: (digits: number, others?: readonly number[]) => AppError | null
    importName: (importId: string) => string | null
  },
) {
  const { contactStore, list, shared, outbox, clock } = parts
  const { pushRows, deleteRows, queueEdit } = createContactRequests(parts)
  const deletions = createContactDeletions({ ...parts, deleteRows })
  const bulk = createContactBulk({ ...parts, pushRows, deletions })
  const pulse = createPulse()
  contactStore.onChange(() => pulse.fire())
  // For the list and exports. `get` also shows notes on numbers that had no contact yet.
  shared.onTaken((kind, key) => {
    const contact = kind === 'number-note' ? list.byDigits([Number(key)])[0] : undefined
    if (!contact) return
    keepNote(contact)
    const note = shared.get('number-note', key).value ?? ''
    contactStore.setNote(contact.id, note, clock.now()).catch((error: unknown) => {
      parts.log.warn('Could not store the note of a colleague at its contact', { error })
    })
  })

  /** A note that an import brought becomes the oldest version before another one replaces it. */
  function keepNote({ id, digits, updatedMs }: StoreRow): void {
    const note = list.detail(id)?.note ?? ''
    if (note !== '') shared.keep('number-note', String(digits), note, updatedMs)
  }

  function check(fields: ContactFields): void {
    const problem = fieldProblem(fields)
    if (problem !== null) throw new AppError('INVALID_INPUT', { detail: problem })
  }

  /** Validates a form by the rules of an import. Throws PHONE_INVALID, INVALID_INPUT. */
  function toDraft({ phone, region, tags, ...texts }: ContactDraft): StoreDraft {
    const parsed = parsePhone(phone, { region: toPhoneRegion(region) })
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

  function found(id: number): StoreRow {
    const row = list.rows([id])[0]
    if (!row) throw new AppError('NOT_FOUND', { what: { key: 'what.contact' } })
    return row
  }

  /** The note on a person goes with their new number. */
  function moveNote(from: number, to: number): void {
    const { value } = shared.get('number-note', String(from))
    if (from === to || value === null) return
    shared.put('number-note', String(to), value)
    shared.put('number-note', String(from), null)
  }

  function get(id: number): ContactDetail {
    const found = list.detail(id)
    if (!found) throw new AppError('NOT_FOUND', { what: { key: 'what.contact' } })
    const { serviceId, digits } = found.row
    const sharedNote = shared.get('number-note', String(digits))
    const answer = serviceId === null ? null : outbox.answerOfContact(id, serviceId)
    return {
      contact: view([found.row])[0]!,
      firstName: found.row.firstName,
      lastName: found.row.lastName,
      note: found.note || (sharedNote.value ?? ''),
      noteVersions: noteVersions(sharedNote),
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

  return {
    async list(query: Parameters<ContactList['page']>[0]): Promise<Output<'list'>> {
      const page = await list.page(query)
      return { ...page, items: view(page.items), asOf: isoTime(clock.now()) }
    },
    count: async ({ filter }: Input<'count'>): Promise<{ value: number; exact: boolean }> => ({
      value: await contactStore.reads.count(filter),
      exact: true,
    }),
    async summary(): Promise<Output<'summary'>> {
      const { total, byState, dnc, held } = await contactStore.reads.figures()
      const others = Object.values(byState).reduce((sum, n) => sum + n, 0)
      return {
        total,
        byState: Object.fromEntries(
          contactStates.map((state, at) => [state, at === 0 ? total - others : (byState[at] ?? 0)]),
        ),
        dnc,
        held,
        version: list.version(),
        asOf: isoTime(clock.now()),
      }
    },
    async *watch(signal: AbortSignal): AsyncGenerator<{ version: number }> {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield { version: list.version() }
    },
    tagKeys: async (): Promise<Output<'tagKeys'>> => ({ keys: await contactStore.reads.tagKeys() }),
    get: ({ id }: Input<'get'>) => get(id),
    byPhone(phone: string): ContactRow | null {
      const digits = Number(phone.replace(/\D/g, ''))
      const row = Number.isSafeInteger(digits) ? list.byDigits([digits])[0] : undefined
      return row ? view([row])[0]! : null
    },
    relatedNumbers: list.relatedNumbers,
    /** Of many numbers at once, as lists ask with every page. A number that may be several contacts' has no name. */
    names({ numbers }: Input<'names'>): Output<'names'> {
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
      const [owner] = serviceId === undefined ? [] : list.ofServiceId(serviceId)
      // Deleting one would delete the other's record.
      if (owner && owner.id !== known?.id)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.idOfContact', phone: owner.phone } })
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
    async update({ id, draft, basedOn }: Input<'update'>): Promise<ContactDetail> {
      const read = found(id)
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
        moveNote(before.digits, next.digits)
        if (before.serviceId !== null || outbox.openOfContact(id).length > 0) queueEdit(before, row)
      })
      await outbox.effectsApplied()
      return get(id)
    },
    async setNote({ id, note }: Input<'setNote'>): Promise<ContactDetail> {
      check({ name: '', email: '', tagsJson: '{}', note })
      const row = found(id)
      keepNote(row)
      shared.put('number-note', String(row.digits), note.trim() === '' ? null : note)
      await contactStore.setNote(id, note, clock.now())
      return get(id)
    },
    ...bulk,
    /** Resumes work that a crash interrupted. Call before the outbox starts. */
    start: deletions.start,
  }
}
