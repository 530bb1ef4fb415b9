import type { Database } from '../../../database/open.ts'

/** The last good answer of a call and its time. */
export interface KeptAnswer {
  bodyJson: string
  asOfMs: number
}

export type AnswersRepository = ReturnType<typeof createAnswersRepository>

/** Last answers by key in `cache.db`; can be dropped and fetched again. */
export function createAnswersRepository(db: Database) {
  const select = db.prepare('SELECT body_json AS bodyJson, as_of_ms AS asOfMs FROM answers WHERE key = ?')
  const upsert = db.prepare(
    'INSERT INTO answers (key, body_json, as_of_ms) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET body_json = excluded.body_json, as_of_ms = excluded.as_of_ms',
  )
  return {
    get: (key: string) => select.get(key) as KeptAnswer | undefined,
    put: (key: string, bodyJson: string, asOfMs: number) => void upsert.run(key, bodyJson, asOfMs),
  }
}
