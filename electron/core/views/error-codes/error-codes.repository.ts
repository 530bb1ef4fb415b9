import type { ErrorCodeRecord } from '../../../contract/domain.ts'
import type { Database } from '../../../database/open.ts'
import { instantMs } from '../../../lib/iso-time.ts'
import { createAnswersRepository } from '../../platform/answers/answers.repository.ts'

/** A stored record. Without an id from the service, `id` is made from code and description. */
export interface StoredRecord {
  id: string
  code: string
  description: string | null
  category: string | null
  resolution: string | null
  createdMs: number | null
  asOfMs: number
}

/** How often a code appears in stored delivery reports, with the Unix times of the first and last in ms. */
interface SeenCode {
  code: string
  count: number
  firstMs: number | null
  lastMs: number | null
}

export type ErrorCodesRepository = ReturnType<typeof createErrorCodesRepository>

const answeredKey = 'error-codes/answered'

/** Records in `cache.db`; reads the events in `state.db`. */
export function createErrorCodesRepository(cacheDb: Database, stateDb: Database) {
  const answers = createAnswersRepository(cacheDb)
  const all = cacheDb.prepare<[], StoredRecord>(
    'SELECT id, code, description, category, resolution, created_ms AS createdMs, as_of_ms AS asOfMs FROM error_codes ORDER BY code, id',
  )
  const put = cacheDb.prepare(`
    INSERT INTO error_codes (id, code, description, category, resolution, created_ms, as_of_ms)
    VALUES (@id, @code, @description, @category, @resolution, @createdMs, @asOfMs)
    ON CONFLICT (id) DO UPDATE SET code = excluded.code, description = excluded.description, category = excluded.category,
      resolution = excluded.resolution, created_ms = excluded.created_ms, as_of_ms = excluded.as_of_ms`)
  const isStored = cacheDb.prepare<[string], number>('SELECT 1 FROM error_codes WHERE id = ?').pluck()
  const newest = cacheDb.prepare<[], number | null>('SELECT max(as_of_ms) FROM error_codes').pluck()
  const seen = stateDb.prepare<[], { code: number; count: number; firstSeq: number; lastSeq: number }>(
    'SELECT error_code AS code, count(*) AS count, min(seq) AS firstSeq, max(seq) AS lastSeq FROM events WHERE error_code IS NOT NULL GROUP BY error_code',
  )
  const receivedMs = stateDb.prepare<[number], number>('SELECT received_ms FROM events WHERE seq = ?').pluck()

  const store = cacheDb.transaction((records: readonly ErrorCodeRecord[], asOfMs: number) => {
    let added = 0
    for (const { id: given, code, description, category, resolution, createdAt } of records) {
      const id = given ?? `no id: ${code}: ${description ?? ''}`
      if (!isStored.get(id)) added++
      put.run({ id, code, description, category, resolution, createdMs: instantMs(createdAt), asOfMs })
    }
    answers.put(answeredKey, '{}', asOfMs)
    return added
  })

  return {
    records: (): StoredRecord[] => all.all(),
    /** Stores an answer of the service given at `asOfMs`. Returns how many records were new. */
    store,
    /** When the service last answered a search; null if never. */
    answeredMs(): number | null {
      const lastMs = Math.max(answers.get(answeredKey)?.asOfMs ?? -Infinity, newest.get() ?? -Infinity)
      return lastMs === -Infinity ? null : lastMs
    },
    seen: (): SeenCode[] =>
      seen.all().map(({ code, count, firstSeq, lastSeq }) => ({
        code: String(code),
        count,
        firstMs: receivedMs.get(firstSeq) ?? null,
        lastMs: receivedMs.get(lastSeq) ?? null,
      })),
  }
}
