import type { RecipientSource, VariableMapping } from '../../../contract/people/templates.ts'
import type { TemplateVariable } from '../../../contract/template-text.ts'
import type { Database } from '../../../database/open.ts'
import type { LocalHours } from '../../../lib/local-hours.ts'
import type { PlanOrder, PlanResult } from '../../../jobs/sends/plan-order.ts'

export interface SendOrder {
  source: RecipientSource
  mapping: VariableMapping[]
  variables: TemplateVariable[]
  startAt: string | null
  hours: LocalHours | null
  skipReceived: boolean
  sendUnplaced: boolean
}

/** A finished dry run. `from`: its recipients, for another one. */
export interface Prepared extends PlanResult {
  /** The columns of its file; null for contacts. */
  header: string[] | null
  from: PlanOrder['source']
  /** Recipients that were confirmed before, when they changed. */
  changedFrom: number | null
  /** When it was counted. */
  countedMs: number
  /** Of the DNC list and the holds then. */
  blockedVersion: string
}

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
  samples: Pick<Prepared, 'first' | 'leftOut' | 'header'> | null
  plan: Pick<
    Prepared,
    'from' | 'digest' | 'sentBy' | 'mixed' | 'changedFrom' | 'countedMs' | 'blockedVersion'
  > | null
  /** Of the plan; kept once all are queued. */
  byCountry: PlanResult['byCountry'] | null
  batchId: string | null
  queued: number
  isFullyQueued: boolean
  /** Of its last test send. */
  testBatchId: string | null
  createdMs: number
}

interface Row extends Omit<
  StoredSend,
  'order' | 'counts' | 'samples' | 'plan' | 'byCountry' | 'isFullyQueued'
> {
  orderJson: string
  countsJson: string | null
  samplesJson: string | null
  planJson: string | null
  whole: 0 | 1
}

const columns = `id, template_key AS templateKey, template_id AS templateId, template_name AS templateName, body, channel_id AS channelId,
  subject, order_json AS orderJson, task_id AS taskId, counts_json AS countsJson, samples_json AS samplesJson, plan_json AS planJson, batch_id AS batchId,
  queued, whole, test_batch_id AS testBatchId, created_ms AS createdMs`

const toStored = ({ orderJson, countsJson, samplesJson, planJson, whole, ...row }: Row): StoredSend => ({
  ...row,
  order: JSON.parse(orderJson) as SendOrder,
  counts: countsJson === null ? null : (JSON.parse(countsJson) as PlanResult['counts']),
  samples: samplesJson === null ? null : (JSON.parse(samplesJson) as StoredSend['samples']),
  plan: planJson === null || whole === 1 ? null : (JSON.parse(planJson) as StoredSend['plan']),
  byCountry: planJson === null ? null : (JSON.parse(planJson) as PlanResult).byCountry,
  isFullyQueued: whole === 1,
})

export type OttSendsRepository = ReturnType<typeof createOttSendsRepository>

export function createOttSendsRepository(db: Database) {
  const get = db.prepare<[string], Row>(`SELECT ${columns} FROM ott_sends WHERE id = ?`)
  const ofBatch = db.prepare<[string], string>('SELECT id FROM ott_sends WHERE batch_id = ?').pluck()
  const set = (assignment: string) => {
    const statement = db.prepare(`UPDATE ott_sends SET ${assignment} WHERE id = @id`)
    return (id: string, values: Record<string, unknown> = {}) => void statement.run({ id, ...values })
  }
  const setTask = set('task_id = @taskId')
  const setPrepared = set(
    'order_json = @order, counts_json = @counts, samples_json = @samples, plan_json = @plan',
  )
  const setChangedFrom = set("plan_json = json_set(plan_json, '$.changedFrom', @willSend)")
  const setBatch = set('batch_id = @batchId')
  const setQueued = set('queued = @queued')
  const setFullyQueued = set(
    `whole = 1, plan_json = json_object('byCountry', json_extract(plan_json, '$.byCountry'))`,
  )
  const setTest = set('test_batch_id = @testBatchId')
  const newest = 'ORDER BY created_ms DESC, rowid DESC LIMIT ?'
  return {
    transaction: <T>(work: () => T): T => db.transaction(work).immediate(),
    add({
      order,
      ...send
    }: Pick<
      StoredSend,
      | 'id'
      | 'templateKey'
      | 'templateId'
      | 'templateName'
      | 'body'
      | 'channelId'
      | 'subject'
      | 'order'
      | 'createdMs'
    >) {
      db.prepare(
        `INSERT INTO ott_sends (id, template_key, template_id, template_name, body, channel_id, subject, order_json, created_ms)
         VALUES (@id, @templateKey, @templateId, @templateName, @body, @channelId, @subject, @orderJson, @createdMs)`,
      ).run({ ...send, orderJson: JSON.stringify(order) })
    },
    /** Id of the send whose batch this is. */
    ofBatch: (batchId: string): string | undefined => ofBatch.get(batchId),
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
    setPrepared: (id: string, order: SendOrder, { counts, first, leftOut, header, ...plan }: Prepared) =>
      setPrepared(id, {
        order: JSON.stringify(order),
        counts: JSON.stringify(counts),
        samples: JSON.stringify({ first, leftOut, header }),
        plan: JSON.stringify(plan),
      }),
    /** Stores how many recipients were confirmed that are not the counted ones. */
    setChangedFrom: (id: string, willSend: number) => setChangedFrom(id, { willSend }),
    setBatch: (id: string, batchId: string) => setBatch(id, { batchId }),
    setQueued: (id: string, queued: number) => setQueued(id, { queued }),
    setFullyQueued: (id: string) => setFullyQueued(id),
    setTest: (id: string, testBatchId: string) => setTest(id, { testBatchId }),
    remove: (id: string) => void db.prepare('DELETE FROM ott_sends WHERE id = ?').run(id),
  }
}
