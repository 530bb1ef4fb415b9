import * as z from 'zod'
import { AppError } from '../../../contract/errors.ts'
import { workStates } from '../../../contract/live/inbox.ts'
import { eventQuerySchema } from '../../../contract/live/events.ts'
import { contactFilterSchema, type NoteVersion } from '../../../contract/people/contacts.ts'
import { alertConditionsSchema, alertRuleModeSchema } from '../../../contract/views/campaign-alert-rules.ts'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import { digestOf } from '../../../lib/digest.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { createPulse } from '../../../lib/pulse.ts'
import { timeId } from '../../../lib/time-id.ts'
import { type FoundEntry, valueLength } from '../dnc/team-entries.ts'
import { createTeamRepository } from '../dnc/team.repository.ts'

/** A change that consoles of a team order alike. `clockMs`: hybrid logical clock, after all that its author had seen. */
interface Change {
  id: string
  clockMs: number
}

/** Also if clocks are minutes apart: a change comes after all that its author had seen. */
const isLater = (a: Change, b: Change): boolean =>
  a.clockMs === b.clockMs ? a.id > b.id : a.clockMs > b.clockMs

/** The time of a change that comes after all others. */
export const nextClockMs = (seen: readonly Change[], nowMs: number): number =>
  Math.max(nowMs, ...seen.map(({ clockMs }) => clockMs + 1))

/** Earlier versions of a value are kept up to this many in all. */
export const versionsKept = 10

/** Both together, the last version first: it is the value. The order and repetition of merges don't matter. */
export const mergeVersions = <V extends Change>(a: readonly V[], b: readonly V[]): V[] =>
  [...new Map([...a, ...b].map((one) => [one.id, one])).values()]
    .sort((one, other) => (isLater(one, other) ? -1 : 1))
    .slice(0, versionsKept)

/** What a team shares by key, and its schema. Values of a kind that is not listed are kept for a later version, and shared on. */
const schemas = {
  /** By sender: who handles its conversation. `upTo`: digest of the last message that is done. */
  conversation: z.object({ state: z.enum(workStates), upTo: z.string().nullable() }),
  'conversation-note': z.string(),
  /** By digits. */
  'number-note': z.string(),
  'error-note': z.string(),
  /** By name. */
  'contact-filter': contactFilterSchema,
  'event-filter': eventQuerySchema,
  /** By campaign id; empty for the default rule. */
  'alert-rule': z.object({ mode: alertRuleModeSchema, rules: alertConditionsSchema }),
  /** By campaign id: its name, once an alert rule paused it. */
  'auto-pause': z.string(),
} satisfies Record<string, z.ZodType>
type Kind = keyof typeof schemas
/** Kinds whose key is the number of a person. */
export const personKinds: readonly string[] = ['conversation', 'conversation-note', 'number-note']
type Value<K extends Kind> = z.infer<(typeof schemas)[K]>

interface Version {
  id: string
  clockMs: number
  atMs: number
  /** Null for this computer. */
  author: string | null
  /** Null once it is removed. */
  value: unknown
}

/** A value with its earlier versions, which have no text that this version can't read. */
export interface SharedValue<T> {
  key: string
  /** Null if it was removed, or can't be read. */
  value: T | null
  isUnreadable: boolean
  author: string | null
  versions: (Omit<Version, 'id' | 'clockMs' | 'value'> & { value: T | null })[]
}

export type SharedValues = ReturnType<typeof createSharedValues>

/** Values by kind and key that the consoles of a team share, in `state.db`. Without a team they are kept here, and shared on joining. */
export function createSharedValues(db: Database, clock: Clock) {
  const team = createTeamRepository(db)
  const shared = createPulse()
  const listeners: ((kind: string, key: string) => void)[] = []
  const find = db
    .prepare<[string, string], string>('SELECT versions_json FROM shared_values WHERE kind = ? AND key = ?')
    .pluck()
  const all = db.prepare<[string], { key: string; json: string }>(
    'SELECT key, versions_json AS json FROM shared_values WHERE kind = ? ORDER BY key',
  )
  const store = db.prepare<[string, string, string, 0 | 1]>(
    `INSERT INTO shared_values (kind, key, versions_json, unshared) VALUES (?, ?, ?, ?) ON CONFLICT (kind, key)
     DO UPDATE SET versions_json = excluded.versions_json, unshared = max(unshared, excluded.unshared)`,
  )
  const unshared = db.prepare<[number], { kind: string; key: string; json: string }>(
    'SELECT kind, key, versions_json AS json FROM shared_values WHERE unshared = 1 LIMIT ?',
  )
  const setShared = db.prepare<[string, string]>(
    'UPDATE shared_values SET unshared = 0 WHERE kind = ? AND key = ?',
  )
  const remove = db.prepare<[string, string]>('DELETE FROM shared_values WHERE kind = ? AND key = ?')
  const blank = db.prepare<[string]>(
    "UPDATE team_entries SET text = '' WHERE id = ? AND kind = 'value' AND text <> ''",
  )

  const parse = (json: string | undefined) => JSON.parse(json ?? '[]') as Version[]

  /** Returns the versions that are kept. */
  function add(kind: string, key: string, version: Version, isUnshared: boolean): Version[] {
    const before = parse(find.get(kind, key))
    const next = mergeVersions(before, [version])
    // Nobody needs to read them.
    for (const { id } of before) if (!next.some((one) => one.id === id)) blank.run(id)
    store.run(kind, key, JSON.stringify(next), isUnshared ? 1 : 0)
    return next
  }

  function view<K extends Kind>(kind: K, key: string, found: readonly Version[]): SharedValue<Value<K>> {
    const versions = found.flatMap(({ author, atMs, value }) => {
      const read = value === null ? null : schemas[kind].safeParse(value).data
      return read === undefined ? [] : [{ author, atMs, value: read as Value<K> | null }]
    })
    const newest = found[0]?.value ?? null
    const value = newest === null ? null : ((schemas[kind].safeParse(newest).data as Value<K>) ?? null)
    const isUnreadable = newest !== null && value === null
    return { key, value, isUnreadable, author: found[0]?.author ?? null, versions }
  }

  /** Forgets a value. Returns how many entries of it the team may have. */
  function forget(kind: string, key: string): number {
    const ids = parse(find.get(kind, key)).map(({ id }) => id)
    remove.run(kind, key)
    return ids.reduce((count, id) => count + blank.run(id).changes, 0)
  }

  return {
    get: <K extends Kind>(kind: K, key: string) => view(kind, key, parse(find.get(kind, key))),
    /** By key, also removed ones. */
    list: <K extends Kind>(kind: K) => all.all(kind).map(({ key, json }) => view(kind, key, parse(json))),
    /** Keeps a text from before it was shared, such as a note of an import, as the oldest version. It stays on this computer. */
    keep<K extends Kind>(kind: K, key: string, value: Value<K>, atMs: number): void {
      if (parse(find.get(kind, key)).some((known) => known.value === value)) return
      add(kind, key, { id: digestOf(JSON.stringify(value)), clockMs: 0, atMs, author: null, value }, false)
    },
    /** Null removes it. INVALID_INPUT for what is too long to share. */
    put<K extends Kind>(kind: K, key: string, value: Value<K> | null): void {
      if (JSON.stringify(value).length > valueLength)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.sharedLength' } })
      db.transaction(() => {
        const author = team.team()?.author
        const nowMs = clock.now()
        const clockMs = nextClockMs(parse(find.get(kind, key)), nowMs)
        const version = { id: timeId(nowMs), clockMs, atMs: nowMs, value }
        add(kind, key, { ...version, author: null }, author === undefined)
        if (author !== undefined) team.share({ kind: 'value', of: kind, key, ...version, author })
      })()
      shared.fire()
    },
    /** Called when a colleague's change counts, in its transaction. */
    onTaken: (listener: (kind: string, key: string) => void) => void listeners.push(listener),
    /** Moves a value to another key, together with what is known there. */
    move: db.transaction((kind: Kind, from: string, to: string): void => {
      const versions = mergeVersions(parse(find.get(kind, to)), parse(find.get(kind, from)))
      remove.run(kind, from)
      store.run(kind, to, JSON.stringify(versions), 1)
    }),
    /** Forgets the notes on a number and its conversation. Their entries aren't taken again. Returns how many the team may have. */
    erasePerson: (digits: number) =>
      personKinds.reduce((count, kind) => count + forget(kind, String(digits)), 0),
    /** Removes filters of contacts that hold a person: with a cleaned filter they would match almost everyone. Returns how many. */
    dropFilters: db.transaction((isTheirs: (text: string) => boolean): number => {
      const found = all.all('contact-filter').filter(({ json }) => {
        const [newest] = parse(json)
        return isTheirs(JSON.stringify(newest?.value ?? null))
      })
      for (const { key } of found) forget('contact-filter', key)
      return found.length
    }),
    team: {
      /** Takes entries of the log, also again. */
      take: db.transaction((found: readonly FoundEntry[]): void => {
        for (const { entry, text } of found) {
          if (entry.kind !== 'value') continue
          const { id, clockMs, atMs, author, value = null } = entry
          const isNew = !team.isKnown(entry)
          const next = isNew ? add(entry.of, entry.key, { id, clockMs, atMs, author, value }, false) : []
          team.take(entry, isNew && !next.some((one) => one.id === id) ? '' : text)
          if (next[0]?.id === id) for (const listener of listeners) listener(entry.of, entry.key)
        }
      }),
      /** To call before leaving a team: the next one gets own values, too. */
      shareAgain: () => void db.prepare('UPDATE shared_values SET unshared = 1').run(),
      /** Queues own values from outside the team. False when none is left. */
      shareEarlier: db.transaction((limit: number): boolean => {
        const author = team.team()?.author
        if (author === undefined) return false
        const rows = unshared.all(limit)
        for (const { kind, key, json } of rows) {
          for (const version of parse(json))
            if (version.author === null && version.clockMs > 0)
              team.share({ kind: 'value', of: kind, key, ...version, author })
          setShared.run(kind, key)
        }
        return rows.length > 0
      }),
      /** Called after own changes. Returns the unsubscribe. */
      onShared: shared.subscribe,
    },
  }
}

/** The versions of a note for the page, the note itself first. */
export const noteVersions = ({ versions }: SharedValue<string>): NoteVersion[] =>
  versions.map(({ author, atMs, value }) => ({ text: value ?? '', by: author, at: isoTime(atMs) }))
