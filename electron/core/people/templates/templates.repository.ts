import type { KnownTemplate } from '../../../contract/templates.ts'
import { AppError, type ErrorCode, type ErrorData, errorTable } from '../../../contract/errors.ts'
import type { TemplateVariable } from '../../../contract/template-text.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { viewOf } from '../../platform/rpc/errors.ts'

/** A template as it is stored. */
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
  /** As the service gave them. */
  createdAt: string | null
  updatedAt: string | null
}

interface Row extends Omit<StoredTemplate, 'variables' | 'problem'> {
  variablesJson: string
  problemJson: string | null
}

/** A channel that was sent over or named. */
export interface StoredChannel {
  id: string
  label: string
  usedMs: number | null
}

export interface TemplatesRepository {
  add(template: Omit<StoredTemplate, 'key'>): number
  get(key: number): StoredTemplate | null
  byServiceId(serviceId: string): StoredTemplate | null
  update(key: number, change: Partial<Omit<StoredTemplate, 'key'>>): void
  remove(key: number): void
  /** Newest first, below a key. */
  list(text: string, limit: number, beforeKey: number): { items: StoredTemplate[]; total: number }
  channels(): StoredChannel[]
  /** Names a channel; with `usedMs`, takes note that it was sent over and leaves its name. */
  putChannel(channel: { id: string } & ({ label: string } | { usedMs: number })): void
  forgetChannel(id: string): void
}

const columns = `key, service_id AS serviceId, name, body, variables_json AS variablesJson, status, origin, state,
  problem_json AS problemJson, known_ms AS knownMs, last_sent_ms AS lastSentMs, service_created AS createdAt, service_updated AS updatedAt`

const toStored = ({ variablesJson, problemJson, ...row }: Row): StoredTemplate => ({
  ...row,
  variables: JSON.parse(variablesJson) as TemplateVariable[],
  problem: problemJson === null ? null : (JSON.parse(problemJson) as StoredTemplate['problem']),
})

/** A template in the words of the contract. */
export function toKnownTemplate({ knownMs, lastSentMs, problem, ...row }: StoredTemplate): KnownTemplate {
  return {
    ...row,
    problem:
      problem && viewOf(new AppError(problem.code in errorTable ? problem.code : 'INTERNAL', problem.data)),
    knownSince: isoTime(knownMs)!,
    lastSentAt: isoTime(lastSentMs),
  }
}

/** The templates and channels in `state.db`. */
export function createTemplatesRepository(db: Database): TemplatesRepository {
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
  const holding = `(@text = '' OR instr(lower(name), lower(@text)) > 0 OR instr(lower(coalesce(body, '')), lower(@text)) > 0
    OR instr(lower(coalesce(service_id, '')), lower(@text)) > 0)`

  const get = (key: number) => one('key = ?', key)
  return {
    add: (template) => Number(insert.run(toRow(template)).lastInsertRowid),
    get,
    byServiceId: (serviceId) => one('service_id = ?', serviceId),
    update(key, change) {
      const template = get(key)
      if (template) put.run({ ...toRow({ ...template, ...change }), key })
    },
    remove: (key) => void db.prepare('DELETE FROM templates WHERE key = ?').run(key),
    list(text, limit, beforeKey) {
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
    channels: () =>
      db
        .prepare<[], StoredChannel>(
          'SELECT id, label, used_ms AS usedMs FROM ott_channels ORDER BY used_ms DESC NULLS LAST, id LIMIT 200',
        )
        .all(),
    putChannel(channel) {
      if ('label' in channel)
        db.prepare(
          'INSERT INTO ott_channels (id, label) VALUES (@id, @label) ON CONFLICT (id) DO UPDATE SET label = @label',
        ).run(channel)
      else
        db.prepare(
          `INSERT INTO ott_channels (id, label, used_ms) VALUES (@id, '', @usedMs) ON CONFLICT (id) DO UPDATE SET used_ms = @usedMs`,
        ).run(channel)
    },
    forgetChannel: (id) => void db.prepare('DELETE FROM ott_channels WHERE id = ?').run(id),
  }
}
