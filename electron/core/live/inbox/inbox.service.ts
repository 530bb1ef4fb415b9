import type { InputOf, OutputOf } from '../../../contract/define.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/errors.ts'
import type { ContactRow } from '../../../contract/people/contacts.ts'
import type {
  Conversation,
  InboxState,
  WhichConversations,
  inboxContract,
} from '../../../contract/live/inbox.ts'
import { isNumberLike } from '../../../contract/number-text.ts'
import type { SentMessage } from '../../../contract/people/sent.ts'
import { noteVersions } from '../../people/team/shared-values.ts'
import { createTextTest } from '../../../jobs/contact-store/contact-text.ts'
import { parseTerms } from '../../../jobs/contact-store/search-terms.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import { createWakeable } from '../../../lib/wakeable.ts'
import type { ContactsService } from '../../people/contacts/contacts.service.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import { type EventsRepository, listContentMax } from '../events/events.repository.ts'
import type { ProjectedBatch, Projector } from '../events/projector.ts'
import { readTypedNumber } from '../events/typed-number.ts'
import { digitsOfSender, type InboxRepository, type SenderRow } from './inbox.repository.ts'
import type { PlatformParts } from '../../platform/parts.ts'

type Contract = typeof inboxContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

const gaps = { minGapMs: 250, maxGapMs: 30_000 }
/** Conversations searched before yielding. */
const sendersPerTurn = 50
/** Messages searched before yielding: about 10 ms. */
const messagesPerTurn = 2_000
/** Contacts found per search. If there are more, each sender's own contact is tested by the same rule. */
const contactsPerSearch = 500
/** Wait after a failed transaction (disk full, file locked), in milliseconds. */
const retryMs = 5_000
/**
 * Minimum time between rebuilds of the conversations, in milliseconds. A signed duplicate that replaces an unsigned
 * message triggers one.
 */
const startOverGapMs = 60_000
const newest = Number.MAX_SAFE_INTEGER

export type InboxService = ReturnType<typeof createInboxService>

/** Inbound messages as conversations by sender, built from events and rebuilt with them. */
export function createInboxService(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    repository: InboxRepository
    events: Pick<EventsRepository, 'find'>
    projector: Pick<Projector, 'state' | 'onProjected' | 'onPruned'>
    contacts: Pick<ContactsService, 'byPhone' | 'list' | 'relatedNumbers'>
    dnc: Pick<DncService, 'verdictOf' | 'factsOf' | 'holdSender' | 'endPossible'>
    /** Messages sent to a number from here, newest first. */
    sentTo: (phone: string) => SentMessage[]
    /** Called when messages arrive or are read, for the status. */
    onChange: () => void
  },
) {
  const { repository, projector, clock, log } = parts
  const pulse = createPulse()
  const { marks } = repository
  let marksVersion = 0
  let wasBehind = false
  let startOverAtMs = -Infinity
  /** Ends the wait of a rebuild that is due; null without one. */
  let cancelStartOver: (() => void) | null = null

  const building = createWakeable({
    async work(signal) {
      const before = repository.progress()
      while (!signal.aborted && repository.step(projector.state().watermark)) {
        wasBehind = true
        report()
        await nextTurn()
      }
      // Events without inbound messages change nothing here.
      if (!signal.aborted && repository.progress() !== before) report()
    },
    onEnd() {
      // Reports that the inbox has caught up.
      if (wasBehind && !building.isStopped()) report()
      wasBehind = false
    },
    onFailed: (error) => log.warn('Could not add inbound messages to conversations yet', { error }),
    retryMs,
    clock,
  })

  function startOver(): void {
    const waitMs = startOverAtMs + startOverGapMs - clock.monotonic()
    cancelStartOver?.()
    cancelStartOver = null
    if (waitMs > 0) {
      cancelStartOver = clock.after(waitMs, startOver)
      return
    }
    try {
      repository.startOver()
      startOverAtMs = clock.monotonic()
      building.wake()
    } catch (error) {
      log.warn('Could not rebuild the conversations yet', { error })
      cancelStartOver = clock.after(retryMs, startOver)
    }
  }

  function onProjected({ added, upToSeq, replacedInbound, pruned }: ProjectedBatch): void {
    if (replacedInbound > 0) startOver()
    if (added > 0 || upToSeq === 0) building.wake()
    if (pruned > 0) report()
  }

  function state(): InboxState {
    return {
      ...repository.counts(),
      possibleOptOuts: repository.countPossible(),
      upToSeq: repository.progress(),
      marksVersion,
      behind: building.isRunning(),
    }
  }

  function changed(): InboxState {
    report()
    return state()
  }

  function report(): void {
    pulse.fire()
    parts.onChange()
  }

  function found(sender: string): SenderRow {
    const row = repository.get(sender)
    if (!row) throw new AppError('NOT_FOUND', { what: { key: 'what.conversation' } })
    return row
  }

  function marksChanged(): InboxState {
    marksVersion++
    return changed()
  }

  function workOf(sender: string, lastSeq: number): Conversation['work'] {
    const work = marks.of(sender)
    if (!work || work.state === 'open') return null
    if (work.state === 'done' && (work.doneSeq === null || work.doneSeq < lastSeq)) return null
    return { state: work.state, by: work.author, at: isoTime(work.atMs) }
  }

  function blockedBecause(digits: number): Conversation['blocked'] {
    const { dncEntry, hold } = parts.dnc.factsOf(digits)
    return dncEntry ? 'dnc' : hold ? 'hold' : null
  }

  function toConversation({ lastSeq, ...row }: SenderRow): Conversation {
    const { sender } = row
    const last = repository.last(lastSeq)
    const digits = digitsOfSender(sender)
    const phone = digits === null ? null : `+${digits}`
    const contact: ContactRow | null = phone === null ? null : parts.contacts.byPhone(phone)
    return {
      ...row,
      phone,
      number: last?.number ?? phone,
      contact: contact && { id: contact.id, name: contact.name },
      blocked: digits === null ? null : blockedBecause(digits),
      work: workOf(sender, lastSeq),
      last: {
        seq: lastSeq,
        content: last?.content ?? '',
        receivedAt: isoTime(last?.receivedMs ?? 0),
        optOut: last?.optOut === 'keyword',
      },
    }
  }

  function relatedTo(sender: string): Conversation[] {
    const digits = digitsOfSender(sender)
    const senders = digits === null ? [] : parts.contacts.relatedNumbers(digits).map(String)
    return senders.flatMap((other) => repository.get(other) ?? []).map(toConversation)
  }

  /** Tests whether a sender's contact matches the text. */
  async function contactTest(text: string): Promise<(row: SenderRow) => boolean> {
    const { items, nextCursor } = await parts.contacts.list({
      filter: { text },
      sort: { by: 'name', descending: false },
      limit: contactsPerSearch,
    })
    const found = new Set(items.map(({ phone }) => phone.replace(/\D/g, '')))
    const terms = parseTerms(text)
    // A search for numbers only matches numbers, not contact texts.
    if (nextCursor === null || terms.length === 0) return ({ sender }) => found.has(sender)
    const holds = createTextTest(terms)
    return ({ sender }) => {
      if (found.has(sender)) return true
      const digits = digitsOfSender(sender)
      if (digits === null) return false
      const contact = parts.contacts.byPhone(`+${sender}`)
      return contact !== null && holds(digits, contact.name, contact.email, JSON.stringify(contact.tags))
    }
  }

  /** Searches conversations from the newest until there are enough matches. */
  async function find(
    which: WhichConversations,
    { text, region }: { text: string; region: string | undefined },
    beforeSeq: number,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<{ rows: SenderRow[]; nextCursor: number | null }> {
    const lowerCase = text.toLowerCase()
    const readings = isNumberLike(text) ? readTypedNumber(text, region) : []
    const isSender = (sender: string) =>
      readings.length === 0
        ? sender.slice(1).includes(lowerCase)
        : readings.some(({ digits, atStart, isWhole }) =>
            isWhole ? sender === digits : atStart ? sender.startsWith(digits) : sender.includes(digits),
          )
    const isOfContact = await contactTest(text)
    const rows: SenderRow[] = []
    let before = beforeSeq
    let looked = 0

    async function turn(): Promise<void> {
      looked = 0
      await nextTurn()
      signal?.throwIfAborted()
    }

    async function hasText(sender: string): Promise<boolean> {
      for (let from: number | null = newest; from !== null;) {
        const piece = repository.lookForText(sender, lowerCase, from, messagesPerTurn - looked)
        if (piece.found) return true
        looked += piece.looked
        from = piece.nextSeq
        if (looked >= messagesPerTurn) await turn()
      }
      return false
    }

    for (;;) {
      const piece = repository.list(which, before, sendersPerTurn)
      for (const row of piece) {
        const { sender } = row
        const isHit = isSender(sender) || isOfContact(row) || (await hasText(sender))
        if (isHit) rows.push(row)
        before = row.lastSeq
        if (rows.length === limit) return { rows, nextCursor: before }
      }
      if (piece.length < sendersPerTurn) return { rows, nextCursor: null }
      await turn()
    }
  }

  marks.onTaken(marksChanged)

  return {
    /** Starts building conversations from stored events. Returns the stop. */
    start(): () => void {
      building.start()
      const unwatch = projector.onProjected(onProjected)
      const unprune = projector.onPruned(repository.forget)
      building.wake()
      return () => {
        void building.stop()
        unwatch()
        unprune()
        if (!cancelStartOver) return
        cancelStartOver()
        // Otherwise a pending rebuild is lost.
        repository.startOver()
      }
    },
    /** Resolves when every projected event is in its conversation. */
    caughtUp: building.settled,
    /** Reads all senders again, because the connection's country changed. */
    readAgain(): void {
      repository.rekey()
      startOver()
    },
    state,
    async *watch(signal: AbortSignal): AsyncGenerator<InboxState> {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield state()
    },
    async list(query: Input<'list'>, signal?: AbortSignal): Promise<Output<'list'>> {
      const { which, text = '', region, limit, cursor = newest } = query
      const trimmed = text.trim()
      if (trimmed !== '') {
        const { rows, nextCursor } = await find(which, { text: trimmed, region }, cursor, limit, signal)
        return { items: rows.map(toConversation), nextCursor, total: null, state: state() }
      }
      const rows = repository.list(which, cursor, limit)
      return {
        items: rows.map(toConversation),
        nextCursor: rows.length < limit ? null : rows.at(-1)!.lastSeq,
        total: repository.count(which),
        state: state(),
      }
    },
    get({ sender, limit, cursor = newest }: Input<'get'>): Output<'get'> {
      const row = found(sender)
      const seqs = repository.seqs(sender, cursor, limit)
      const conversation = toConversation(row)
      const { phone } = conversation
      const optOut = repository.optOut(sender)
      return {
        conversation,
        items: seqs.flatMap((seq) => {
          const event = parts.events.find(seq)?.event
          return event ? { ...event, content: event.content?.slice(0, listContentMax) ?? null } : []
        }),
        sent: phone === null || cursor !== newest ? [] : parts.sentTo(phone),
        nextCursor: seqs.length < limit ? null : seqs.at(-1)!,
        possibleOptOuts: repository.possibleOptOuts(sender),
        optedOut: optOut && { seq: optOut.seq, at: isoTime(optOut.receivedMs) },
        note: marks.noteOn(sender).value ?? '',
        noteVersions: noteVersions(marks.noteOn(sender)),
        related: relatedTo(sender),
        contact: phone === null ? null : parts.contacts.byPhone(phone),
        verdict: phone === null ? null : parts.dnc.verdictOf(phone, null),
        asOf: isoTime(clock.now()),
      }
    },
    markRead({ sender, upToSeq }: Input<'markRead'>): InboxState {
      repository.markRead(sender, upToSeq)
      return changed()
    },
    answerOptOut({ sender, upToSeq, answer }: Input<'answerOptOut'>): InboxState {
      const seq = repository.possibleOptOuts(sender).find((open) => open <= upToSeq)
      const message = seq === undefined ? null : parts.events.find(seq)?.event
      if (!message) throw new AppError('NOT_FOUND', { what: { key: 'what.message' } })
      if (answer === 'hold')
        parts.dnc.holdSender({
          number: message.number ?? '',
          content: message.content ?? '',
          receivedMs: Date.parse(message.receivedAt),
        })
      else parts.dnc.endPossible(repository.possibleHolds(sender, upToSeq))
      repository.answerOptOuts(sender, upToSeq, answer)
      return changed()
    },
    setWork({ sender, state: next, upToSeq }: Input<'setWork'>): InboxState {
      found(sender)
      marks.setWork(sender, next, upToSeq)
      return marksChanged()
    },
    setNote({ sender, text }: Input<'setNote'>): InboxState {
      found(sender)
      marks.setNote(sender, text)
      return marksChanged()
    },
    eraseMarks: marks.erase,
    markUnread({ sender }: Input<'markUnread'>): InboxState {
      repository.markUnread(sender)
      return changed()
    },
    async markAllRead({ upToSeq }: Input<'markAllRead'>): Promise<InboxState> {
      repository.markAllRead(upToSeq)
      while (repository.clearUnread(upToSeq)) {
        await nextTurn()
        if (building.isStopped()) break
      }
      return changed()
    },
  }
}
