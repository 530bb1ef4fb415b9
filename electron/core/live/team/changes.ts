import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { TeamChange, teamContract } from '../../../contract/live/team.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { type TeamEntry, teamEntryOf } from '../../people/dnc/team-entries.ts'

type Output = OutputOf<typeof teamContract, 'changes'>
type Change = Omit<TeamChange, 'id' | 'at' | 'by'>

const kinds = {
  all: ['hold', 'release', 'sent', 'work', 'note', 'value', 'erase', 'erased'],
  holds: ['hold', 'release', 'erase', 'erased'],
  sends: ['sent'],
  conversations: ['work', 'note'],
  values: ['value'],
} as const
/** Of texts in the list. */
const longest = 500

const numberOf = (sender: string) => (/^\d+$/.test(sender) ? `+${sender}` : sender.replace(/^=/, ''))

/** `hold`: what a removal ends. Null for what isn't stored. */
function changeOf(entry: TeamEntry, hold: TeamEntry | null): Change | null {
  const none = { about: '', text: '', count: 0, isRemoved: false }
  switch (entry.kind) {
    case 'hold':
      return { ...none, what: 'hold', about: entry.number, text: entry.evidence }
    case 'release':
      return {
        ...none,
        what: 'hold',
        isRemoved: true,
        ...(hold?.kind === 'hold' && { about: hold.number, text: hold.evidence }),
      }
    case 'sent':
      return { ...none, what: 'sent', count: entry.to.length }
    case 'work':
      return { ...none, what: entry.state, about: numberOf(entry.sender) }
    case 'note':
      return {
        ...none,
        what: 'note',
        about: numberOf(entry.sender),
        text: entry.text,
        isRemoved: entry.text === '',
      }
    case 'value': {
      const { of, key, value = null } = entry
      const what = of as TeamChange['what']
      const about = of === 'number-note' ? `+${key}` : key
      const text = typeof value === 'string' ? value : ''
      return { what, about, text, count: 0, isRemoved: value === null }
    }
    case 'erase':
      return { ...none, what: 'erase' }
    case 'erased':
      return { ...none, what: entry.isErased ? 'erased' : 'kept' }
    default:
      return null
  }
}

/** What the team shared last, as far as this computer knows it, in `state.db`. */
export function createTeamChanges(db: Database) {
  const find = db.prepare<
    [string, number, number],
    { rowId: number; text: string; hold: string | null; isOwn: 0 | 1 }
  >(
    `SELECT e.rowid AS rowId, e.text, h.text AS hold,
       e.id NOT LIKE 'unverified-%' AND e.text ->> 'author' IN (SELECT name FROM team_names) AS isOwn
     FROM team_entries e LEFT JOIN team_entries h ON e.kind = 'release' AND h.id = e.id AND h.kind = 'hold'
     WHERE e.kind IN (SELECT value FROM json_each(?)) AND e.text <> '' AND e.rowid < ?
     ORDER BY e.rowid DESC LIMIT ?`,
  )

  return ({
    show,
    limit,
    cursor = Number.MAX_SAFE_INTEGER,
  }: InputOf<typeof teamContract, 'changes'>): Output => {
    const rows = find.all(JSON.stringify(kinds[show]), cursor, limit)
    const items = rows.flatMap(({ rowId, text, hold, isOwn }) => {
      const entry = teamEntryOf(text)
      const change = entry && changeOf(entry, hold ? teamEntryOf(hold) : null)
      if (!entry || !change) return []
      const by = isOwn === 1 ? null : entry.author
      const short = change.text.slice(0, longest)
      return [{ id: String(rowId), at: isoTime(entry.atMs), by, ...change, text: short }]
    })
    return { items, nextCursor: rows.length < limit ? null : rows.at(-1)!.rowId }
  }
}
