import type { TeamNote, TeamWork } from '../../people/dnc/team-entries.ts'
import { isLater } from '../../people/team/last-writer.ts'

/** Of this computer if `author` is null. */
type Own<Entry> = Omit<Entry, 'kind' | 'sender' | 'author'> & { author: string | null }
export type Work = Own<TeamWork>
export type Note = Own<Omit<TeamNote, 'replaces'>>

/** Who handles a conversation, and what is noted on it. */
export interface ConversationMarks {
  work: Work | null
  /** Notes that no other one replaces, newest first: several if they were written without seeing each other. */
  notes: Note[]
  replaced: string[]
}

export const noMarks: ConversationMarks = { work: null, notes: [], replaced: [] }

/** What an entry says alone. */
export function marksOf(
  { kind: _, sender: _sender, ...entry }: TeamWork | TeamNote,
  author: string | null,
): ConversationMarks {
  if ('state' in entry) return { ...noMarks, work: { ...entry, author } }
  const { replaces, ...note } = entry
  return { ...noMarks, notes: [{ ...note, author }], replaced: replaces }
}

/**
 * Both together: the last work, and all notes that none replaces. The order and repetition of merges don't matter. An emptied note replaces
 * others and isn't kept.
 */
export function mergeMarks(a: ConversationMarks, b: ConversationMarks): ConversationMarks {
  const replaced = new Set([...a.replaced, ...b.replaced])
  const notes = new Map([...a.notes, ...b.notes].map((note) => [note.id, note]))
  return {
    work: a.work && b.work ? (isLater(b.work, a.work) ? b.work : a.work) : (a.work ?? b.work),
    notes: [...notes.values()]
      .filter(({ id, text }) => text !== '' && !replaced.has(id))
      .sort((one, other) => (isLater(one, other) ? -1 : 1)),
    replaced: [...replaced].sort(),
  }
}
