import type { WorkState } from '../../../contract/live/inbox.ts'
import type { Database } from '../../../database/open.ts'
import { messageDigest } from '../../people/dnc/team-entries.ts'
import type { SharedValues } from '../../people/team/shared-values.ts'

/** The newest messages among which the last one that was handled is looked for. */
const lookedAt = 100
const kinds = ['conversation', 'conversation-note'] as const
const isOfConversation = (kind: string): kind is (typeof kinds)[number] =>
  (kinds as readonly string[]).includes(kind)

interface Message {
  seq: number
  messageId: string | null
  number: string | null
  content: string | null
}

const digestOf = ({ messageId, number, content }: Message) =>
  messageDigest(messageId ?? '', number ?? '', content ?? '')

/**
 * Who handles conversations and the notes on them, which a team shares, and in `state.db` what lists select by. `keyOf`: the key here of a
 * colleague's conversation.
 */
export function createConversationMarks(
  db: Database,
  shared: SharedValues,
  keyOf: (sender: string) => string,
) {
  const store = db.prepare(
    `INSERT INTO conversation_marks (sender, done_key, done_seq, is_mine) VALUES (@sender, @doneKey, @doneSeq, @isMine)
     ON CONFLICT (sender) DO UPDATE SET done_key = @doneKey, done_seq = @doneSeq, is_mine = @isMine`,
  )
  const doneSeqOf = db
    .prepare<[string], number | null>('SELECT done_seq FROM conversation_marks WHERE sender = ?')
    .pluck()
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
  const remove = db.prepare<[string]>('DELETE FROM conversation_marks WHERE sender = ?')
  const changed = new Set<() => void>()

  /** Of messages without an id, equal ones can't be told apart: then the oldest. A later one means that it isn't done. */
  const seqOf = (sender: string, key: string): number | null =>
    messages.all(sender, lookedAt).findLast((one) => digestOf(one) === key)?.seq ?? null

  /** `doneSeq`: the last message that is done with it. */
  function note(sender: string, doneSeq: number | null = null): void {
    const { value, author } = shared.get('conversation', sender)
    const doneKey = value?.state === 'done' ? value.upTo : null
    store.run({
      sender,
      doneKey,
      doneSeq: doneKey === null ? null : (doneSeq ?? seqOf(sender, doneKey)),
      isMine: value?.state === 'assigned' && author === null ? 1 : 0,
    })
  }

  /** Moves what is known of a sender that is a number here. Returns its key. */
  function moved(kind: (typeof kinds)[number], sender: string): string {
    const key = keyOf(sender)
    if (key === sender) return key
    shared.move(kind, sender, key)
    remove.run(sender)
    return key
  }

  shared.onTaken((kind, sender) => {
    if (!isOfConversation(kind)) return
    const key = moved(kind, sender)
    if (kind === 'conversation') note(key)
    for (const listener of changed) listener()
  })

  return {
    of(sender: string) {
      const { value, author, versions } = shared.get('conversation', sender)
      const doneSeq = doneSeqOf.get(sender) ?? null
      return value && { state: value.state, author, atMs: versions[0]!.atMs, doneSeq }
    },
    noteOn: (sender: string) => shared.get('conversation-note', sender),
    /** `upToSeq`: the last message that a done conversation has. */
    setWork: db.transaction((sender: string, state: WorkState, upToSeq: number): void => {
      const found = state === 'done' ? message.get(upToSeq) : undefined
      shared.put('conversation', sender, { state, upTo: found ? digestOf(found) : null })
      note(sender, upToSeq)
    }),
    setNote: (sender: string, text: string) => shared.put('conversation-note', sender, text || null),
    /** Called after changes of colleagues. */
    onTaken: (listener: () => void) => void changed.add(listener),
    /** To call when a message is added to a conversation: it may be the last one that a colleague handled. */
    messageAdded(sender: string): void {
      const key = awaited.get(sender)
      if (key !== undefined) setDoneSeq.run(seqOf(sender, key), sender)
    },
    /** Moves marks of senders that are numbers now. */
    rekey(): void {
      for (const kind of kinds)
        for (const { key } of shared.list(kind)) {
          const next = moved(kind, key)
          if (next !== key && kind === 'conversation') note(next)
        }
    },
    /** Forgets what lists select by. */
    erase: (sender: string): void => void remove.run(sender),
  }
}
