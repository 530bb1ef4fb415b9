import type { Database } from '../../../database/open.ts'
import {
  type FoundEntry,
  messageDigest,
  type TeamNote,
  type TeamWork,
} from '../../people/dnc/team-entries.ts'
import { createTeamRepository } from '../../people/dnc/team.repository.ts'
import { type ConversationMarks, marksOf, mergeMarks, noMarks } from './conversation-marks.ts'

/** The newest messages among which the last one that was handled is looked for. */
const lookedAt = 100

interface Message {
  seq: number
  messageId: string | null
  number: string | null
  content: string | null
}

const digestOf = ({ messageId, number, content }: Message) =>
  messageDigest(messageId ?? '', number ?? '', content ?? '')

/** Who handles conversations and notes on them, in `state.db`. `keyOf`: the key here of a colleague's conversation. */
export function createConversationMarks(db: Database, keyOf: (sender: string) => string) {
  const team = createTeamRepository(db)
  const find = db.prepare<[string], { json: string; doneSeq: number | null }>(
    'SELECT marks_json AS json, done_seq AS doneSeq FROM conversation_marks WHERE sender = ?',
  )
  const store = db.prepare(
    `INSERT INTO conversation_marks (sender, marks_json, done_key, done_seq, is_mine, unshared) VALUES (@sender, @json, @doneKey, @doneSeq, @isMine, @unshared)
     ON CONFLICT (sender) DO UPDATE SET marks_json = @json, done_key = @doneKey, done_seq = @doneSeq, is_mine = @isMine, unshared = max(unshared, @unshared)`,
  )
  const messages = db.prepare<[string, number], Message>(
    `SELECT m.seq, message_id AS messageId, number, content FROM inbox_messages m JOIN events e ON e.seq = m.seq
     WHERE m.sender = ? ORDER BY m.seq DESC LIMIT ?`,
  )
  const message = db.prepare<[number], Message>(
    'SELECT seq, message_id AS messageId, number, content FROM events WHERE seq = ?',
  )
  const awaited = db
    .prepare<[string], string>(
      'SELECT done_key FROM conversation_marks WHERE sender = ? AND done_key IS NOT NULL AND done_seq IS NULL',
    )
    .pluck()
  const setDoneSeq = db.prepare<[number | null, string]>(
    'UPDATE conversation_marks SET done_seq = ? WHERE sender = ?',
  )
  const unshared = db.prepare<[number], { sender: string; json: string }>(
    'SELECT sender, marks_json AS json FROM conversation_marks WHERE unshared = 1 LIMIT ?',
  )
  const setShared = db.prepare<[string]>('UPDATE conversation_marks SET unshared = 0 WHERE sender = ?')
  const named = db.prepare<[], string>("SELECT sender FROM conversation_marks WHERE sender LIKE '=%'").pluck()
  const remove = db.prepare<[string]>('DELETE FROM conversation_marks WHERE sender = ?')
  const blank = db.prepare<[string]>(
    "UPDATE team_entries SET text = '' WHERE id = ? AND kind IN ('work', 'note') AND text <> ''",
  )

  function marks(sender: string): ConversationMarks {
    const row = find.get(sender)
    return row ? (JSON.parse(row.json) as ConversationMarks) : noMarks
  }

  /** Of messages without an id, equal ones can't be told apart: then the oldest. A later one means that it isn't done. */
  const seqOf = (sender: string, key: string | null): number | null =>
    key === null
      ? null
      : (messages.all(sender, lookedAt).findLast((one) => digestOf(one) === key)?.seq ?? null)

  function put(
    sender: string,
    next: ConversationMarks,
    { doneSeq = null as number | null, isUnshared = false } = {},
  ) {
    const before = marks(sender)
    const { work } = next
    const isSame = before.work?.id === work?.id
    // Nobody needs to read it.
    if (before.work && !isSame) blank.run(before.work.id)
    const doneKey = work?.state === 'done' ? work.upTo : null
    store.run({
      sender,
      json: JSON.stringify(next),
      doneKey,
      doneSeq: isSame ? (find.get(sender)?.doneSeq ?? null) : (doneSeq ?? seqOf(sender, doneKey)),
      isMine: work?.state === 'assigned' && work.author === null ? 1 : 0,
      unshared: isUnshared ? 1 : 0,
    })
  }

  return {
    /** With the last message that was done; null if it isn't, or isn't known here. */
    of: (sender: string) => ({ ...marks(sender), doneSeq: find.get(sender)?.doneSeq ?? null }),
    /** Names a message in the same way at every console; null for an unknown one. */
    digestOf(seq: number): string | null {
      const found = message.get(seq)
      return found ? digestOf(found) : null
    },
    /** Adds an own change. `doneSeq`: the last message that is done with it. */
    add: db.transaction(
      (entry: Omit<TeamWork, 'author'> | Omit<TeamNote, 'author'>, doneSeq: number | null) => {
        const author = team.team()?.author
        const own = { ...entry, author: author ?? '' } as TeamWork | TeamNote
        const next = mergeMarks(marks(entry.sender), marksOf(own, null))
        put(entry.sender, next, { doneSeq, isUnshared: author === undefined })
        if (author !== undefined) team.share(own)
      },
    ),
    /** Takes entries of the team's log, also again. Returns whether there was news. */
    take: db.transaction((found: readonly FoundEntry[]): boolean => {
      let hasNews = false
      for (const { entry, text } of found) {
        if (entry.kind !== 'work' && entry.kind !== 'note') continue
        const sender = keyOf(entry.sender)
        const isNew = !team.isKnown(entry)
        const next = isNew ? mergeMarks(marks(sender), marksOf(entry, entry.author)) : null
        team.take(entry, next && entry.kind === 'work' && next.work?.id !== entry.id ? '' : text)
        if (!next) continue
        put(sender, next)
        hasNews = true
      }
      return hasNews
    }),
    /** To call before leaving a team: the next one gets own marks, too. */
    shareAgain: () => void db.prepare('UPDATE conversation_marks SET unshared = 1').run(),
    /** Queues own marks from outside the team. False when none is left. */
    shareEarlier: db.transaction((limit: number): boolean => {
      const author = team.team()?.author
      if (author === undefined) return false
      const rows = unshared.all(limit)
      for (const { sender, json } of rows) {
        const { work, notes, replaced } = JSON.parse(json) as ConversationMarks
        if (work?.author === null) team.share({ kind: 'work', sender, ...work, author })
        for (const note of notes)
          if (note.author === null)
            team.share({ kind: 'note', sender, ...note, author, replaces: replaced.slice(0, 50) })
        setShared.run(sender)
      }
      return rows.length > 0
    }),
    /** To call when a message is added to a conversation: it may be the last one that a colleague handled. */
    messageAdded(sender: string): void {
      const key = awaited.get(sender)
      if (key !== undefined) setDoneSeq.run(seqOf(sender, key), sender)
    },
    /** Moves marks of senders that are numbers now. */
    rekey(): void {
      for (const sender of named.all()) {
        const next = keyOf(sender)
        if (next === sender) continue
        put(next, mergeMarks(marks(next), marks(sender)), { isUnshared: true })
        remove.run(sender)
      }
    },
    /** Forgets a sender. Its entries aren't taken again. Returns how many the team may have. */
    erase: db.transaction((sender: string): number => {
      const { work, notes, replaced } = marks(sender)
      const ids = [...(work ? [work.id] : []), ...notes.map(({ id }) => id), ...replaced]
      remove.run(sender)
      return ids.reduce((count, id) => count + blank.run(id).changes, 0)
    }),
  }
}
