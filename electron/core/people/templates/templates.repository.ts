import type { KnownTemplate } from '../../../contract/people/templates.ts'
import type { ErrorCode, ErrorData } from '../../../contract/errors.ts'
import type { TemplateVariable } from '../../../contract/template-text.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { viewOfStored } from '../../platform/rpc/errors.ts'

export interface StoredTemplate {
  key: number
  serviceId: string | null
  name: string
  body: string | null
  variables: TemplateVariable[]
  status: string | null
  origin: KnownTemplate['origin']
  state: KnownTemplate['state']
  problem: { code: ErrorCode; data: ErrorData } | null
  knownMs: number
  lastSentMs: number | null
  /** As the service returned them. */
  createdAt: string | null
  updatedAt: string | null
}

interface Row extends Omit<StoredTemplate, 'variables' | 'problem'> {
  variablesJson: string
  problemJson: string | null
}

export type TemplatesRepository = ReturnType<typeof createTemplatesRepository>

const columns = `key, service_id AS serviceId, name, body, variables_json AS variablesJson, status, origin, state,
  problem_json AS problemJson, known_ms AS knownMs, last_sent_ms AS lastSentMs, service_created AS createdAt, service_updated AS updatedAt`

const toStored = ({ variablesJson, problemJson, ...row }: Row): StoredTemplate => ({
  ...row,
  variables: JSON.parse(variablesJson) as TemplateVariable[],
  problem: problemJson === null ? null : (JSON.parse(problemJson) as StoredTemplate['problem']),
})

export function toKnownTemplate({ knownMs, lastSentMs, problem, ...row }: StoredTemplate): KnownTemplate {
  return {
    ...row,
    problem: viewOfStored(problem),
    knownSince: isoTime(knownMs)!,
    lastSentAt: isoTime(lastSentMs),
  }
}

export function createTemplatesRepository(db: Database) {
  const insert = db.prepare(`
    INSERT INTO templates (service_id, name, body, variables_json, status, origin, state, problem_json, known_ms, last_sent_ms, service_created, service_updated)
    VALUES (@serviceId, @name, @body, @variablesJson, @status, @origin, @state, @problemJson, @knownMs, @lastSentMs, @createdAt, @updatedAt)`)
  const put = db.prepare(`
    UPDATE templates SET service_id = @serviceId, name = @name, body = @body, variables_json = @variablesJson, status = @status,
      origin = @origin, state = @state, problem_json = @problemJson, known_ms = @knownMs, last_sent_ms = @lastSentMs, service_created = @createdAt, service_updated = @updatedAt
    WHERE key = @key`)
  const one = (sql: string, value: unknown) => {
    const row = db.prepare(`SELECT ${columns} FROM templates WHERE ${sql}`).get(value) as Row | undefined
    return row ? toStored(row) : null
  }
  const toRow = ({ variables, problem, ...rest }: Omit<StoredTemplate, 'key'>) => ({
    ...rest,
    variablesJson: JSON.stringify(variables),
    problemJson: problem === null ? null : JSON.stringify(problem),
  })
  const holding = `(@text = '' OR instr(fold(name), fold(@text)) > 0 OR instr(fold(body), fold(@text)) > 0
    OR instr(fold(service_id), fold(@text)) > 0)`

  const get = (key: number) => one('key = ?', key)
  return {
    add: (template: Omit<StoredTemplate, 'key'>) => Number(insert.run(toRow(template)).lastInsertRowid),
    get,
    byServiceId: (serviceId: string) => one('service_id = ?', serviceId),
    update(key: number, change: Partial<Omit<StoredTemplate, 'key'>>) {
      const template = get(key)
      if (template) put.run({ ...toRow({ ...template, ...change }), key })
    },
    remove: (key: number) => void db.prepare('DELETE FROM templates WHERE key = ?').run(key),
    /** Newest first, below `beforeKey`. */
    list(text: string, limit: number, beforeKey: number) {
      const rows = db
        .prepare(
          `SELECT ${columns} FROM templates WHERE ${holding} AND key < @beforeKey ORDER BY key DESC LIMIT @limit`,
        )
        .all({ text, limit, beforeKey }) as Row[]
      const total = db
        .prepare(`SELECT count(*) FROM templates WHERE ${holding}`)
        .pluck()
        .get({ text }) as number
      return { items: rows.map(toStored), total }
    },
    /** Channels that were used or named. */
    channels: () =>
      db
        .prepare<[], { id: string; label: string; usedMs: number | null }>(
          'SELECT id, label, used_ms AS usedMs FROM ott_channels ORDER BY used_ms DESC NULLS LAST, id LIMIT 200',
        )
        .all(),
    /** Names a channel or, with `usedMs`, records its use and keeps its name. */
    putChannel(channel: { id: string } & ({ label: string } | { usedMs: number })) {
      if ('label' in channel)
        db.prepare(
          'INSERT INTO ott_channels (id, label) VALUES (@id, @label) ON CONFLICT (id) DO UPDATE SET label = @label',
        ).run(channel)
      else
        db.prepare(
          `INSERT INTO ott_channels (id, label, used_ms) VALUES (@id, '', @usedMs) ON CONFLICT (id) DO UPDATE SET used_ms = @usedMs`,
        ).run(channel)
    },
    forgetChannel: (id: string) => void db.prepare('DELETE FROM ott_channels WHERE id = ?').run(id),
  }
}
