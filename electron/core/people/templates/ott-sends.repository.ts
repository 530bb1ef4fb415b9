import type { RecipientSource, VariableMapping } from '../../../contract/people/templates.ts'
import type { TemplateVariable } from '../../../contract/template-text.ts'
import type { Database } from '../../../database/open.ts'
import type { PlanResult } from '../../../jobs/sends/ott-plan.ts'

export interface SendOrder {
  source: RecipientSource
  mapping: VariableMapping[]
  variables: TemplateVariable[]
}

/** A send to many recipients, as stored. */
export interface StoredSend {
  id: string
  templateKey: number
  templateId: string
  templateName: string
  body: string | null
  channelId: string
  subject: string
  order: SendOrder
  taskId: string | null
  counts: PlanResult['counts'] | null
  /** `header`: the columns of its file; null for contacts. */
  samples: (Pick<PlanResult, 'first' | 'leftOut'> & { header: string[] | null }) | null
  batchId: string | null
  queued: number
  isFullyQueued: boolean
  /** Of its last test send. */
  testBatchId: string | null
  createdMs: number
}

interface Row extends Omit<StoredSend, 'order' | 'counts' | 'samples' | 'isFullyQueued'> {
  orderJson: string
  countsJson: string | null
  samplesJson: string | null
  whole: 0 | 1
}

const columns = `id, template_key AS templateKey, template_id AS templateId, template_name AS templateName, body, channel_id AS channelId,
  subject, order_json AS orderJson, task_id AS taskId, counts_json AS countsJson, samples_json AS samplesJson, batch_id AS batchId,
  queued, whole, test_batch_id AS testBatchId, created_ms AS createdMs`

const toStored = ({ orderJson, countsJson, samplesJson, whole, ...row }: Row): StoredSend => ({
  ...row,
  order: JSON.parse(orderJson) as SendOrder,
  counts: countsJson === null ? null : (JSON.parse(countsJson) as PlanResult['counts']),
  samples: samplesJson === null ? null : (JSON.parse(samplesJson) as StoredSend['samples']),
  isFullyQueued: whole === 1,
})

export type OttSendsRepository = ReturnType<typeof createOttSendsRepository>

export function createOttSendsRepository(db: Database) {
  const get = db.prepare<[string], Row>(`SELECT ${columns} FROM ott_sends WHERE id = ?`)
  const set = (assignment: string) => {
    const statement = db.prepare(`UPDATE ott_sends SET ${assignment} WHERE id = @id`)
    return (id: string, values: Record<string, unknown> = {}) => void statement.run({ id, ...values })
  }
  const setTask = set('task_id = @taskId')
  const setPrepared = set('counts_json = @counts, samples_json = @samples')
  const setBatch = set('batch_id = @batchId')
  const setQueued = set('queued = @queued')
  const setFullyQueued = set('whole = 1')
  const setTest = set('test_batch_id = @testBatchId')
  const newest = 'ORDER BY created_ms DESC, rowid DESC LIMIT ?'
  return {
    transaction: <T>(work: () => T): T => db.transaction(work).immediate(),
    add({
      order,
      ...send
    }: Omit<
      StoredSend,
      'taskId' | 'counts' | 'samples' | 'batchId' | 'queued' | 'isFullyQueued' | 'testBatchId'
    >) {
      db.prepare(
        `INSERT INTO ott_sends (id, template_key, template_id, template_name, body, channel_id, subject, order_json, created_ms)
         VALUES (@id, @templateKey, @templateId, @templateName, @body, @channelId, @subject, @orderJson, @createdMs)`,
      ).run({ ...send, orderJson: JSON.stringify(order) })
    },
    get(id: string) {
      const row = get.get(id)
      return row ? toStored(row) : null
    },
    /** Newest first, after the send with this id. */
    list(limit: number, afterId: string | undefined) {
      const rows =
        afterId === undefined
          ? db.prepare<[number], Row>(`SELECT ${columns} FROM ott_sends ${newest}`).all(limit)
          : db
              .prepare<[string, number], Row>(
                `SELECT ${columns} FROM ott_sends
                 WHERE (created_ms, rowid) < (SELECT created_ms, rowid FROM ott_sends WHERE id = ?) ${newest}`,
              )
              .all(afterId, limit)
      return rows.map(toStored)
    },
    setTask: (id: string, taskId: string) => setTask(id, { taskId }),
    setPrepared: (id: string, { counts, first, leftOut, header }: PlanResult & { header: string[] | null }) =>
      setPrepared(id, {
        counts: JSON.stringify(counts),
        samples: JSON.stringify({ first, leftOut, header }),
      }),
    setBatch: (id: string, batchId: string) => setBatch(id, { batchId }),
    setQueued: (id: string, queued: number) => setQueued(id, { queued }),
    setFullyQueued: (id: string) => setFullyQueued(id),
    setTest: (id: string, testBatchId: string) => setTest(id, { testBatchId }),
    remove: (id: string) => void db.prepare('DELETE FROM ott_sends WHERE id = ?').run(id),
  }
}
