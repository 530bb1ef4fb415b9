import type { Database } from '../../../database/open.ts'
import type { WhichConversations } from '../../../contract/live/inbox.ts'
import type { OptOutSign } from '../../people/dnc/possible-opt-outs.ts'
import { possibleNumbers } from '../../../lib/phone/possible-numbers.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'
import { createConversationMarks } from './conversation-marks.ts'

/** Inbound messages added per transaction. */
const messagesPerPiece = 250
/** Rows deleted per transaction. */
const rowsPerPiece = 5_000
/** The key in `inbox_reads` for "everything read up to here", from any sender. */
const everybody = ''

/** A sender's stored counts, and the seq of its newest message. */
export interface SenderRow {
  sender: string
  messages: number
  unread: number
  optOuts: number
  possibleOptOuts: number
  lastSeq: number
}

/** A sender's newest message, as lists show it. */
interface LastMessage {
  number: string | null
  content: string
  receivedMs: number
  optOut: OptOutSign | null
}

/** Key of a conversation: the sender's likeliest number, however it is written, else its name. */
function senderOf(number: string | null, country: string | null): string {
  if (number === null) return '?'
  const { digits } = possibleNumbers(number, country)
  return digits === null ? `=${number.trim().toLowerCase().slice(0, 200)}` : String(digits)
}

/** The digits of a sender that is a number. */
export function digitsOfSender(sender: string): number | null {
  return /^\d+$/.test(sender) ? Number(sender) : null
}

/** What a message that may be an opt-out is. A keyword later in the conversation answers `hold`. */
export type OptOutAnswer = 'hold' | 'not-opt-out'

export type InboxRepository = ReturnType<typeof createInboxRepository>

/** The SQL of the conversations in `state.db`. `country`: of senders in national form, null if unknown. */
export function createInboxRepository(
  db: Database,
  shared: SharedValues,
  country: () => string | null,
  /** Whether the DNC list has a number, so that no question is needed. */
  isListed: (digits: number) => boolean,
) {
  const marks = createConversationMarks(db, shared, (sender) =>
    sender.startsWith('=') ? senderOf(sender.slice(1), country()) : sender,
  )
  const findProgress = db.prepare<[], number>('SELECT seq FROM inbox_progress').pluck()
  const moveTo = db.prepare<[number]>(
    'INSERT INTO inbox_progress (id, seq) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET seq = excluded.seq',
  )
  const forgetProgress = db.prepare('DELETE FROM inbox_progress')
  const clearMessages = db.prepare<[number]>(
    'DELETE FROM inbox_messages WHERE (sender, seq) IN (SELECT sender, seq FROM inbox_messages LIMIT ?)',
  )
  const clearSenders = db.prepare<[number]>(
    'DELETE FROM inbox_senders WHERE sender IN (SELECT sender FROM inbox_senders LIMIT ?)',
  )
  // The second condition lets SQLite use the partial index.
  const nextMessages = db.prepare<
    [number, number, number],
    { seq: number; number: string | null; optOut: OptOutSign | null }
  >(
    `SELECT seq, number, opt_out AS optOut FROM events INDEXED BY events_not_dlr
     WHERE kind = 'mo' AND kind <> 'dlr' AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  const addMessage = db.prepare<[string, number]>(
    'INSERT OR IGNORE INTO inbox_messages (sender, seq) VALUES (?, ?)',
  )
  const addToSender = db.prepare<{ sender: string; seq: number; optOut: number; unread: number }>(
    `INSERT INTO inbox_senders (sender, messages, unread, opt_outs, last_seq)
     VALUES (:sender, 1, :unread, :optOut, :seq)
     ON CONFLICT (sender) DO UPDATE SET messages = messages + 1, unread = unread + excluded.unread,
       opt_outs = opt_outs + excluded.opt_outs, last_seq = max(last_seq, excluded.last_seq)`,
  )
  const dropMessage = db.prepare<[string, number]>('DELETE FROM inbox_messages WHERE sender = ? AND seq = ?')
  const takeFromSender = db.prepare<{ sender: string; optOut: number; unread: number }>(
    `UPDATE inbox_senders SET messages = messages - 1, unread = max(0, unread - :unread), opt_outs = opt_outs - :optOut
     WHERE sender = :sender`,
  )
  const dropEmptySender = db.prepare<[string]>('DELETE FROM inbox_senders WHERE sender = ? AND messages <= 0')
  const findRead = db.prepare<[string], number>('SELECT up_to_seq FROM inbox_reads WHERE sender = ?').pluck()
  const setRead = db.prepare<[string, number]>(
    `INSERT INTO inbox_reads (sender, up_to_seq) VALUES (?, ?)
     ON CONFLICT (sender) DO UPDATE SET up_to_seq = excluded.up_to_seq`,
  )
  const countUnread = db.prepare<{ sender: string; upToSeq: number }>(
    `UPDATE inbox_senders SET unread =
       (SELECT count(*) FROM inbox_messages WHERE sender = :sender AND seq > :upToSeq) WHERE sender = :sender`,
  )
  /** Its hold waits for a decision, and no other one holds the sender. */
  const isOpen = `answer IS NULL AND EXISTS (
    SELECT 1 FROM events JOIN holds ON event_seq = source_seq
    WHERE events.seq = possible_opt_outs.seq AND ended_ms IS NULL AND source = 'possible-opt-out')
    AND NOT EXISTS (SELECT 1 FROM holds WHERE digits = CAST(possible_opt_outs.sender AS INTEGER) AND ended_ms IS NULL
      AND source <> 'possible-opt-out')`
  const columns = `sender, messages, unread, opt_outs AS optOuts, last_seq AS lastSeq,
    (SELECT count(*) FROM possible_opt_outs WHERE sender = inbox_senders.sender AND ${isOpen}) AS possibleOptOuts`
  const conditions: Record<WhichConversations, string> = {
    all: '',
    unread: ' AND unread > 0',
    open: ` AND NOT EXISTS (
      SELECT 1 FROM conversation_marks m WHERE m.sender = inbox_senders.sender AND done_seq >= last_seq)`,
    mine: ' AND sender IN (SELECT sender FROM conversation_marks WHERE is_mine = 1)',
    'opt-outs': ' AND opt_outs > 0',
    'possible-opt-outs': ` AND sender IN (SELECT sender FROM possible_opt_outs WHERE ${isOpen})`,
  }
  const findSender = db.prepare<[string], SenderRow>(`SELECT ${columns} FROM inbox_senders WHERE sender = ?`)
  const findLast = db.prepare<[number], LastMessage>(
    `SELECT number, substr(coalesce(content, ''), 1, 200) AS content, received_ms AS receivedMs, opt_out AS optOut
     FROM events WHERE seq = ?`,
  )
  const findSeqs = db
    .prepare<[string, number, number], number>(
      'SELECT seq FROM inbox_messages WHERE sender = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
    )
    .pluck()
  const findTexts = db
    .prepare<[string, number, number], [seq: number, content: string | null]>(
      `SELECT seq, (SELECT content FROM events WHERE events.seq = inbox_messages.seq) FROM inbox_messages
       WHERE sender = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    )
    .raw()

  const countOptOuts = db.prepare<[], number>('SELECT count(*) FROM inbox_senders WHERE opt_outs > 0').pluck()
  const countPossible = db
    .prepare<[], number>(`SELECT count(DISTINCT sender) FROM possible_opt_outs WHERE ${isOpen}`)
    .pluck()
  const countDone = db
    .prepare<[], number>(
      `SELECT count(*) FROM conversation_marks m JOIN inbox_senders s ON s.sender = m.sender
       WHERE done_seq IS NOT NULL AND done_seq >= last_seq`,
    )
    .pluck()
  const countMine = db
    .prepare<[], number>(
      'SELECT count(*) FROM conversation_marks m JOIN inbox_senders s ON s.sender = m.sender WHERE is_mine = 1',
    )
    .pluck()
  const askAbout = db.prepare<[number, string]>(
    `INSERT INTO possible_opt_outs (seq, sender) VALUES (?, ?)
     ON CONFLICT (seq) DO UPDATE SET sender = excluded.sender`,
  )
  const answer = db.prepare<{ sender: string; upToSeq: number; answer: OptOutAnswer }>(
    `UPDATE possible_opt_outs SET answer = :answer
     WHERE sender = :sender AND seq <= :upToSeq AND answer IS NULL`,
  )
  const findOpen = db
    .prepare<[string], number>(
      `SELECT seq FROM possible_opt_outs WHERE sender = ? AND ${isOpen} ORDER BY seq DESC LIMIT 100`,
    )
    .pluck()
  const findOptOut = db.prepare<{ sender: string }, { seq: number; receivedMs: number }>(
    `SELECT seq, received_ms AS receivedMs FROM inbox_messages JOIN events USING (seq)
     WHERE sender = :sender AND (opt_out = 'keyword'
       OR seq IN (SELECT seq FROM possible_opt_outs WHERE sender = :sender AND answer = 'hold'))
     ORDER BY seq LIMIT 1`,
  )
  const findHolds = db
    .prepare<[string, number], number>(
      `SELECT holds.id FROM possible_opt_outs asked JOIN events ON events.seq = asked.seq JOIN holds ON event_seq = source_seq
       WHERE asked.sender = ? AND asked.seq <= ? AND answer IS NULL AND ended_ms IS NULL AND source = 'possible-opt-out'`,
    )
    .pluck()
  const dropPossible = db.prepare<[number]>('DELETE FROM possible_opt_outs WHERE seq = ?')
  /** Asked again, unless answered, while the messages are read again. */
  const dropUnanswered = db.prepare('DELETE FROM possible_opt_outs WHERE answer IS NULL')
  const countAll = db.prepare<[], { conversations: number; unread: number }>(
    `SELECT (SELECT count(*) FROM inbox_senders) AS conversations,
       (SELECT count(*) FROM inbox_senders WHERE unread > 0) AS unread`,
  )
  /** Updated with the tables, because counting takes up to 100 ms; null when a recount is needed. */
  let counted: { conversations: number; unread: number } | null = null

  function counts(): { conversations: number; unread: number } {
    counted ??= countAll.get()!
    return { ...counted }
  }

  /** Runs a transaction that returns its change of the counts, or asks for a recount. */
  function changing<T>(
    work: () => { result: T; conversations: number; unread: number } | { result: T; recount: true },
  ): T {
    const before = counted
    counted = null
    const done = work()
    if (before && !('recount' in done))
      counted = {
        conversations: before.conversations + done.conversations,
        unread: before.unread + done.unread,
      }
    return done.result
  }

  const unreadOf = (sender: string) => ((findSender.get(sender)?.unread ?? 0) > 0 ? 1 : 0)

  const readUpTo = (sender: string) => findRead.get(sender) ?? findRead.get(everybody) ?? 0

  const step = db.transaction((watermark: number) => {
    const progress = findProgress.get()
    if (progress === undefined) {
      const cleared = clearMessages.run(rowsPerPiece).changes + clearSenders.run(rowsPerPiece).changes
      if (cleared === 0) {
        dropUnanswered.run()
        moveTo.run(0)
      }
      return { result: true, recount: true as const }
    }
    if (progress > watermark) {
      // Events are being rebuilt, so the processed ones may be missing.
      forgetProgress.run()
      return { result: true, recount: true as const }
    }
    let conversations = 0
    let unread = 0
    const messages = nextMessages.all(progress, watermark, messagesPerPiece)
    for (const { seq, number, optOut } of messages) {
      const sender = senderOf(number, country())
      if (addMessage.run(sender, seq).changes === 0) continue
      const isKeyword = optOut === 'keyword'
      if (isKeyword) answer.run({ sender, upToSeq: seq, answer: 'hold' })
      else if (optOut === 'possible' && number !== null && !isListed(digitsOfSender(sender) ?? 0))
        askAbout.run(seq, sender)
      const isUnread = seq > readUpTo(sender)
      const known = findSender.get(sender)
      addToSender.run({ sender, seq, optOut: isKeyword ? 1 : 0, unread: isUnread ? 1 : 0 })
      marks.messageAdded(sender)
      if (!known) conversations++
      if (isUnread && (known?.unread ?? 0) === 0) unread++
    }
    const last = messages.at(-1)
    if (last) moveTo.run(last.seq)
    return { result: messages.length === messagesPerPiece, conversations, unread }
  })
  const markAll = db.transaction((upToSeq: number) => {
    // This overrides conversations marked unread before; those read further stay read.
    db.prepare('DELETE FROM inbox_reads WHERE up_to_seq <= ?').run(upToSeq)
    if ((findRead.get(everybody) ?? 0) < upToSeq) setRead.run(everybody, upToSeq)
    const later = db
      .prepare<[number], string>('SELECT sender FROM inbox_senders WHERE unread > 0 AND last_seq > ?')
      .pluck()
      .all(upToSeq)
    for (const sender of later) countUnread.run({ sender, upToSeq: readUpTo(sender) })
  })
  const clearUnread = db.prepare<[number, number]>(
    `UPDATE inbox_senders SET unread = 0 WHERE sender IN
       (SELECT sender FROM inbox_senders WHERE unread > 0 AND last_seq <= ? LIMIT ?)`,
  )
  const marking = (mark: (sender: string, upToSeq: number) => void) => (sender: string, upToSeq: number) =>
    changing(() => {
      const before = unreadOf(sender)
      mark(sender, upToSeq)
      return { result: undefined, conversations: 0, unread: unreadOf(sender) - before }
    })
  const setBack = marking(
    db.transaction((sender: string, upToSeq: number) => {
      setRead.run(sender, upToSeq)
      countUnread.run({ sender, upToSeq })
    }),
  )

  return {
    /**
     * Adds the next piece of inbound messages up to `watermark`, or clears conversations whose events were
     * discarded. One transaction; false when there was nothing to do.
     */
    step: (watermark: number): boolean => changing(() => step.immediate(watermark)),
    /** Removes deleted messages, within the transaction that deletes their events. */
    forget(
      events: readonly { seq: number; kind: string; number: string | null; optOut: OptOutSign | null }[],
    ): void {
      for (const { seq, kind, number, optOut } of events) {
        const sender = senderOf(number, country())
        if (kind === 'mo') dropPossible.run(seq)
        if (kind !== 'mo' || dropMessage.run(sender, seq).changes === 0) continue
        takeFromSender.run({
          sender,
          optOut: optOut === 'keyword' ? 1 : 0,
          unread: seq > readUpTo(sender) ? 1 : 0,
        })
        dropEmptySender.run(sender)
        counted = null
      }
    },
    /** Restarts from the first event, in pieces, with the next steps. Read marks stay. */
    startOver: (): void => void forgetProgress.run(),
    marks,
    /** Moves marks of senders that are numbers now, before a restart. */
    rekey: db.transaction(() => {
      marks.rekey()
      const named = db
        .prepare<[], { sender: string; upToSeq: number }>(
          `SELECT sender, up_to_seq AS upToSeq FROM inbox_reads WHERE sender LIKE '=%'`,
        )
        .all()
      for (const { sender, upToSeq } of named) {
        const next = senderOf(sender.slice(1), country())
        if (next !== sender) setRead.run(next, Math.max(upToSeq, findRead.get(next) ?? 0))
      }
    }),
    /** The last event processed. */
    progress: (): number => findProgress.get() ?? 0,
    counts,
    /** Conversations with open possible opt-outs. */
    countPossible: (): number => countPossible.get()!,
    /** Its open possible opt-outs, newest first, at most 100. */
    possibleOptOuts: (sender: string): number[] => findOpen.all(sender),
    /** Its first opt-out, also one that a person answered as such. */
    optOut: (sender: string) => findOptOut.get({ sender }) ?? null,
    /** The undecided holds of the sender's messages up to this one. */
    possibleHolds: (sender: string, upToSeq: number): number[] => findHolds.all(sender, upToSeq),
    answerOptOuts: (sender: string, upToSeq: number, given: OptOutAnswer): void =>
      void answer.run({ sender, upToSeq, answer: given }),
    count(which: WhichConversations): number {
      if (which === 'possible-opt-outs') return countPossible.get()!
      if (which === 'opt-outs') return countOptOuts.get()!
      if (which === 'mine') return countMine.get()!
      const { conversations, unread } = counts()
      if (which === 'open') return conversations - countDone.get()!
      return which === 'all' ? conversations : unread
    },
    /** Newest first, with a last message before `beforeSeq`. */
    list: (which: WhichConversations, beforeSeq: number, limit: number): SenderRow[] =>
      db
        .prepare<[number, number], SenderRow>(
          `SELECT ${columns} FROM inbox_senders WHERE last_seq < ?${conditions[which]} ORDER BY last_seq DESC LIMIT ?`,
        )
        .all(beforeSeq, limit),
    get: (sender: string): SenderRow | null => findSender.get(sender) ?? null,
    last: (seq: number): LastMessage | null => findLast.get(seq) ?? null,
    /** Seqs of a sender's messages before `beforeSeq`, newest first. */
    seqs: (sender: string, beforeSeq: number, limit: number): number[] =>
      findSeqs.all(sender, beforeSeq, limit),
    /**
     * Searches at most `limit` messages of the sender before `beforeSeq`, ignoring case. @returns whether one
     * matches, how many were examined, and where the next piece begins; null at the end.
     */
    lookForText(
      sender: string,
      lowerCase: string,
      beforeSeq: number,
      limit: number,
    ): { found: boolean; looked: number; nextSeq: number | null } {
      let looked = 0
      let nextSeq = beforeSeq
      for (const [seq, content] of findTexts.iterate(sender, beforeSeq, limit)) {
        looked++
        nextSeq = seq
        if (content?.toLowerCase().includes(lowerCase)) return { found: true, looked, nextSeq }
      }
      return { found: false, looked, nextSeq: looked < limit ? null : nextSeq }
    },
    markRead: marking(
      db.transaction((sender: string, upToSeq: number) => {
        const next = Math.max(readUpTo(sender), upToSeq)
        setRead.run(sender, next)
        countUnread.run({ sender, upToSeq: next })
      }),
    ),
    markUnread(sender: string): void {
      const row = findSender.get(sender)
      if (!row || row.unread > 0) return
      setBack(sender, row.lastSeq - 1)
    },
    /** Marks everything up to `upToSeq` as read; `clearUnread` does the rest in pieces. */
    markAllRead: (upToSeq: number): void =>
      changing(() => {
        markAll(upToSeq)
        return { result: undefined, recount: true }
      }),
    /** Processes the next piece of a `markAllRead`; false when done. */
    clearUnread: (upToSeq: number): boolean =>
      changing(() => ({
        result: clearUnread.run(upToSeq, rowsPerPiece).changes === rowsPerPiece,
        recount: true,
      })),
  }
}
