import { setImmediate as nextTurn } from 'node:timers/promises'
import type * as z from 'zod'
import { AppError } from '../../../contract/errors.ts'
import type { ContactRow } from '../../../contract/contacts.ts'
import type { Conversation, InboxState, WhichConversations, inboxContract } from '../../../contract/inbox.ts'
import { isNumberLike } from '../../../contract/number-text.ts'
import type { SentMessage } from '../../../contract/sent.ts'
import { createTextTest } from '../../../jobs/book/contact-text.ts'
import { readSought } from '../../../jobs/book/sought-text.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import type { ContactsService } from '../../people/contacts/contacts.service.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import { type EventsRepository, listContentMax } from '../events/events.repository.ts'
import type { ProjectedBatch, Projector } from '../events/projector.ts'
import { readSoughtNumber } from '../events/sought-number.ts'
import { digitsOfSender, type InboxRepository, type SenderRow } from './inbox.repository.ts'

type Output<Name extends keyof typeof inboxContract> = z.infer<
  NonNullable<(typeof inboxContract)[Name]['~orpc']['outputSchema']>
>

const gaps = { minGapMs: 250, maxGapMs: 30_000 }
/** Conversations looked through for a text before others have their turn. */
const sendersPerTurn = 50
/** Messages looked through for a text before others have their turn: about 10 ms. */
const messagesPerTurn = 2_000
/**
 * Contacts that are looked for at once. Where there are more, each sender's own contact is looked at, by the
 * same rule.
 */
const contactsPerSearch = 500
/** After a failed transaction (a full disk, a locked file) it is tried again, milliseconds. */
const retryMs = 5_000
/**
 * Fields of a message change when a signed copy of an unsigned one arrives. Conversations are made anew no more
 * often than this, milliseconds.
 */
const startOverGapMs = 60_000
const newest = Number.MAX_SAFE_INTEGER

export interface InboxService {
  /** Puts together what was stored so far. Returns the stop. */
  start(): () => void
  /** Resolves when every event that is projected is in its conversation. */
  caughtUp(): Promise<void>
  state(): InboxState
  watch(signal: AbortSignal): AsyncGenerator<InboxState>
  list(
    query: {
      which: WhichConversations
      text?: string | undefined
      region?: string | undefined
      limit: number
      cursor?: number | undefined
    },
    signal?: AbortSignal,
  ): Promise<Output<'list'>>
  get(query: { sender: string; limit: number; cursor?: number | undefined }): Output<'get'>
  markRead(sender: string, upToSeq: number): InboxState
  markUnread(sender: string): InboxState
  markAllRead(upToSeq: number): Promise<InboxState>
}

/** Inbound messages as conversations by sender. They are made of the events, and made anew when those are. */
export function createInboxService(parts: {
  repository: InboxRepository
  events: Pick<EventsRepository, 'find'>
  projector: Pick<Projector, 'state' | 'onProjected' | 'onPruned'>
  contacts: Pick<ContactsService, 'byPhone' | 'list'>
  dnc: Pick<DncService, 'verdictOf' | 'factsOf'>
  /** What was sent to a number from here, newest first. */
  sentTo: (phone: string) => SentMessage[]
  clock: Clock
  log: Log
  /** Something was read or came, for the status. */
  onChange: () => void
}): InboxService {
  const { repository, projector, clock, log } = parts
  const pulse = createPulse()
  let running: Promise<void> | null = null
  let isTold = false
  let again = false
  let stopped = true
  let startOverAtMs = -Infinity
  let cancelStartOver = () => {}
  let isStartOverDue = false
  let cancelRetry = () => {}

  async function run(): Promise<void> {
    do {
      again = false
      try {
        const before = repository.progress()
        while (!stopped && repository.step(projector.state().watermark)) {
          isTold = true
          tell()
          await nextTurn()
        }
        // Reports that are no messages change nothing here.
        if (!stopped && repository.progress() !== before) tell()
      } catch (error) {
        log.warn('inbound messages could not be put into their conversations yet', { error })
        cancelRetry()
        cancelRetry = clock.after(retryMs, wake)
        return
      }
    } while (again && !stopped)
  }

  function wake(): void {
    again = true
    if (stopped) return
    running ??= run().finally(() => {
      running = null
      // That it is not behind any more.
      if (isTold && !stopped) tell()
      isTold = false
    })
  }

  function startOver(): void {
    const waitMs = startOverAtMs + startOverGapMs - clock.monotonic()
    cancelStartOver()
    isStartOverDue = true
    if (waitMs > 0) {
      cancelStartOver = clock.after(waitMs, startOver)
      return
    }
    try {
      repository.startOver()
      isStartOverDue = false
      startOverAtMs = clock.monotonic()
      wake()
    } catch (error) {
      log.warn('the conversations could not be made anew yet', { error })
      cancelStartOver = clock.after(retryMs, startOver)
    }
  }

  function onProjected({ added, upToSeq, replacedInbound, pruned }: ProjectedBatch): void {
    if (replacedInbound > 0) startOver()
    if (added > 0 || upToSeq === 0) wake()
    if (pruned > 0) tell()
  }

  function state(): InboxState {
    return {
      ...repository.counts(),
      upToSeq: repository.progress(),
      behind: running !== null,
    }
  }

  function changed(): InboxState {
    tell()
    return state()
  }

  function tell(): void {
    pulse.fire()
    parts.onChange()
  }

  function blockedBecause(digits: number): Conversation['blocked'] {
    const { dncEntry, hold } = parts.dnc.factsOf(digits)
    return dncEntry ? 'dnc' : hold ? 'hold' : null
  }

  function toConversation({ sender, messages, unread, stopWords, lastSeq }: SenderRow): Conversation {
    const last = repository.last(lastSeq)
    const digits = digitsOfSender(sender)
    const phone = digits === null ? null : `+${digits}`
    const contact: ContactRow | null = phone === null ? null : parts.contacts.byPhone(phone)
    return {
      sender,
      phone,
      number: last?.number ?? phone,
      contact: contact && { id: contact.id, name: contact.name },
      messages,
      unread,
      stopWords,
      blocked: digits === null ? null : blockedBecause(digits),
      last: {
        seq: lastSeq,
        content: last?.content ?? '',
        receivedAt: isoTime(last?.receivedMs ?? 0),
        stopWord: last?.stopWord === 1,
      },
    }
  }

  /** Says of a sender whether the book finds its contact by the text. */
  async function contactTest(text: string): Promise<(row: SenderRow) => boolean> {
    const { items, nextCursor } = await parts.contacts.list({
      filter: { text },
      sort: { by: 'name', descending: false },
      limit: contactsPerSearch,
    })
    const found = new Set(items.map(({ phone }) => phone.replace(/\D/g, '')))
    const sought = readSought(text)
    // A list of numbers asks for no text that a contact could hold: it is found by them alone.
    if (nextCursor === null || sought.length === 0) return ({ sender }) => found.has(sender)
    const holds = createTextTest(sought)
    return ({ sender }) => {
      if (found.has(sender)) return true
      const digits = digitsOfSender(sender)
      const contact = digits === null ? null : parts.contacts.byPhone(`+${sender}`)
      return contact !== null && holds(digits!, contact.name, contact.email, JSON.stringify(contact.tags))
    }
  }

  /** Walks the conversations from the newest and keeps those with the text, until there are enough. */
  async function find(
    which: WhichConversations,
    { text, region }: { text: string; region: string | undefined },
    beforeSeq: number,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<{ rows: SenderRow[]; nextCursor: number | null }> {
    const lowerCase = text.toLowerCase()
    const readings = isNumberLike(text) ? readSoughtNumber(text, region) : []
    const isSender = (sender: string) =>
      readings.length === 0
        ? sender.slice(1).includes(lowerCase)
        : readings.some(({ digits, atStart }) =>
            atStart ? sender.startsWith(digits) : sender.includes(digits),
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

  return {
    start() {
      stopped = false
      const unwatch = projector.onProjected(onProjected)
      const unforget = projector.onPruned(repository.forget)
      wake()
      return () => {
        stopped = true
        unwatch()
        unforget()
        cancelStartOver()
        cancelRetry()
        // What waits for its time would be forgotten with this run of the console.
        if (isStartOverDue) repository.startOver()
      }
    },
    async caughtUp() {
      while (running) await running
    },
    state,
    async *watch(signal) {
      for await (const _beat of beats(pulse, clock, gaps, signal)) yield state()
    },
    async list({ which, text = '', region, limit, cursor = newest }, signal) {
      const wanted = text.trim()
      if (wanted !== '') {
        const { rows, nextCursor } = await find(which, { text: wanted, region }, cursor, limit, signal)
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
    get({ sender, limit, cursor = newest }) {
      const row = repository.get(sender)
      if (!row) throw new AppError('NOT_FOUND', { what: 'This conversation' })
      const seqs = repository.seqs(sender, cursor, limit)
      const conversation = toConversation(row)
      const { phone } = conversation
      return {
        conversation,
        items: seqs.flatMap((seq) => {
          const event = parts.events.find(seq)?.event
          return event ? { ...event, content: event.content?.slice(0, listContentMax) ?? null } : []
        }),
        sent: phone === null || cursor !== newest ? [] : parts.sentTo(phone),
        nextCursor: seqs.length < limit ? null : seqs.at(-1)!,
        contact: phone === null ? null : parts.contacts.byPhone(phone),
        // A number with its plus is read the same in every region.
        verdict: phone === null ? null : parts.dnc.verdictOf(phone, 'US'),
        asOf: isoTime(clock.now()),
      }
    },
    markRead(sender, upToSeq) {
      repository.markRead(sender, upToSeq)
      return changed()
    },
    markUnread(sender) {
      repository.markUnread(sender)
      return changed()
    },
    async markAllRead(upToSeq) {
      repository.markAllRead(upToSeq)
      while (repository.clearUnread(upToSeq)) {
        await nextTurn()
        if (stopped) break
      }
      return changed()
    },
  }
}
