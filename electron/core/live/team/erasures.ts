import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import { timeId } from '../../../lib/time-id.ts'
import { type FoundEntry, sealed, unsealed } from '../../people/dnc/team-entries.ts'
import { createTeamRepository } from '../../people/dnc/team.repository.ts'

interface Open {
  id: string
  author: string
  atMs: number
  number: string
}

/**
 * Numbers that someone of the team erased, in `state.db`: a person at each other console erases them too, or keeps them. Numbers are
 * sealed with the team key, and forgotten with the answer.
 */
export function createErasures(db: Database, clock: Clock, keepHeld: (digits: number) => void) {
  const team = createTeamRepository(db)
  const add = db.prepare<Open>(
    'INSERT OR IGNORE INTO team_erasures (id, author, at_ms, number) VALUES (@id, @author, @atMs, @number)',
  )
  const open = db.prepare<[], Open>(
    "SELECT id, author, at_ms AS atMs, number FROM team_erasures WHERE number <> '' ORDER BY at_ms",
  )
  const close = db.prepare<[string]>("UPDATE team_erasures SET number = '' WHERE id = ?")
  const answers = db.prepare<[string], { author: string; isErased: 0 | 1 }>(
    `SELECT text ->> 'author' AS author, text ->> 'isErased' AS isErased FROM team_entries
     WHERE kind = 'erased' AND text <> '' AND text ->> 'erase' = ?`,
  )
  const setInLog = db.prepare<[number, string]>('UPDATE team_erasures SET in_log = ? WHERE id = ?')
  const inLog = db.prepare<[string], number>('SELECT in_log FROM team_erasures WHERE id = ?').pluck()
  // CROSS: otherwise SQLite reads all entries, every second.
  const inLogStill = db.prepare<[], { id: string; number: string }>(
    `SELECT e.id, t.text ->> 'number' AS number FROM team_erasures e
     CROSS JOIN team_entries t ON t.id = e.id AND t.kind = 'erase' AND t.on_relay = 1 AND t.text <> '' WHERE e.in_log = -1`,
  )
  const waits = db
    .prepare<[string], 1>("SELECT 1 FROM team_entries WHERE id = ? AND kind = 'erase' AND on_relay = 0")
    .pluck()
  const isAsked = db.prepare<[string], 1>('SELECT 1 FROM team_erasures WHERE id = ?').pluck()

  function answer(id: string, isErased: boolean): void {
    close.run(id)
    if (isErased) setInLog.run(-1, id)
    const author = team.team()!.author
    const atMs = clock.now()
    team.share({ kind: 'erased', id: timeId(atMs), erase: id, isErased, author, atMs })
  }

  return {
    /** Takes entries of the log, also again. */
    take: db.transaction((found: readonly FoundEntry[], key: string): void => {
      for (const { entry, text } of found) {
        if (entry.kind !== 'erase' && entry.kind !== 'erased') continue
        const isNew = !team.isKnown(entry)
        team.take(entry, text)
        if (!isNew || entry.kind === 'erased') continue
        const digits = unsealed(entry.number, key)
        if (digits === null) continue
        add.run(entry)
        if (entry.isHeld) keepHeld(digits)
      }
    }),
    /** Those that nobody answered here, oldest first. */
    open: (): Open[] => open.all(),
    /** Says that a number was erased here: it answers colleagues who asked for that, or asks them. `id`: of the erasure. */
    erased: db.transaction(
      ({ id, digits, isHeld }: { id: string; digits: number; isHeld: boolean }, key: string): void => {
        const asked = open.all().filter(({ number }) => unsealed(number, key) === digits)
        for (const one of asked) answer(one.id, true)
        if (asked.length > 0 || isAsked.get(id)) return
        const by = { id, author: team.team()!.author, atMs: clock.now() }
        add.run({ ...by, number: '' })
        setInLog.run(-1, id)
        team.share({ kind: 'erase', ...by, number: sealed(digits, key), isHeld })
      },
    ),
    /** Keeps a number here, although a colleague erased it. */
    keep: db.transaction((id: string): void => {
      if (open.all().some((one) => one.id === id)) answer(id, false)
    }),
    /** Numbers that were erased here, and that the log may have until `setInLog` says how many entries of it stay. */
    inLogStill: (key: string) =>
      inLogStill.all().flatMap(({ id, number }) => {
        const digits = unsealed(number, key)
        return digits === null ? [] : [{ id, digits }]
      }),
    setInLog: (id: string, left: number) => void setInLog.run(left, id),
    /** How many entries of the log can't be removed; null until they were looked for. */
    inLog: (id: string): number | null => {
      const left = inLog.get(id) ?? -1
      return left < 0 ? null : left
    },
    /** Whether the log doesn't have an own erasure yet. */
    waits: (id: string): boolean => waits.get(id) !== undefined,
    /** Answers of colleagues to an own erasure; null for one they weren't asked about. */
    answers: (id: string) => (isAsked.get(id) ? answers.all(id) : null),
  }
}
