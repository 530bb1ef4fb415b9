import type { DetectableName } from '../../../contract/field-names.ts'
import { AppError, errorPhrase } from '../../../contract/errors.ts'
import { type Detection, detectionSchema } from '../../../contract/platform/settings.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { toAppError, viewOf } from '../../platform/rpc/errors.ts'
import type { FieldNameStore } from './field-name-store.ts'
import type { TaskContext } from '../../platform/tasks/tasks.service.ts'
import {
  detectAnalyticsDates,
  detectDncCheck,
  detectErrorCodeSearch,
  type DetectorOutcome,
  type DetectorParts,
  textOfName,
} from './name-detectors.ts'
import type { ServiceParts } from '../parts.ts'

const detectors: Record<DetectableName, (parts: DetectorParts) => Promise<DetectorOutcome>> = {
  dncCheckParameter: detectDncCheck,
  errorCodeSearchParameter: detectErrorCodeSearch,
  analyticsDates: detectAnalyticsDates,
}

export type FieldNameDetection = ReturnType<typeof createFieldNameDetection>

/**
 * Detects field names the spec leaves open, with GETs only. A name is verified only if its response differs from that
 * of a service ignoring unknown parameters. A verified name that fails later becomes an assumption.
 */
export function createFieldNameDetection(
  parts: Pick<ServiceParts, 'client' | 'cacheDb' | 'tasks' | 'clock' | 'log'> & {
    fieldNameStore: FieldNameStore
    connectionId: string
  },
) {
  const { client, cacheDb, fieldNameStore, connectionId, tasks, clock, log } = parts
  const fieldNames = () => fieldNameStore.of(connectionId)
  const withNames: DetectorParts['withNames'] = (change, work) =>
    fieldNameStore.withNames(connectionId, change, work)
  const put = cacheDb.prepare<[string, string]>(
    'INSERT INTO probe_findings (name, finding_json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET finding_json = excluded.finding_json',
  )
  const read = cacheDb.prepare<[], string>('SELECT finding_json FROM probe_findings ORDER BY name').pluck()
  const underWay = new Map<string, readonly DetectableName[]>()

  /** Applies a result. A value that the operator set manually changes only to verified, never to another value. */
  function use(name: DetectableName, { outcome, proven }: DetectorOutcome): void {
    const { value, provenance } = fieldNames()[name]
    const isSame = JSON.stringify(value) === JSON.stringify(proven)
    if (proven !== undefined && (isSame || provenance !== 'set by hand'))
      fieldNameStore.saveVerified(connectionId, name, proven)
    else if (outcome === 'refuted' && provenance === 'proven') fieldNameStore.withdraw(connectionId, name)
  }

  async function find(
    name: DetectableName,
    { signal }: TaskContext<unknown>,
    asking: () => void,
  ): Promise<Detection> {
    const finding = (found: Pick<Detection, 'outcome' | 'value' | 'evidence' | 'problem'>) => ({
      ...found,
      name,
      provenance: fieldNames()[name].provenance,
      asOf: isoTime(clock.now()),
    })
    try {
      const outcome = await detectors[name]({
        client,
        fieldNames,
        withNames,
        signal,
        asking,
        nowMs: () => clock.now(),
      })
      use(name, outcome)
      const { value, evidence, problem } = outcome
      return finding({ outcome: outcome.outcome, value, evidence, problem: problem ? viewOf(problem) : null })
    } catch (error) {
      signal.throwIfAborted()
      const problem = viewOf(error instanceof AppError ? error : toAppError(error, log))
      const value = textOfName(fieldNames()[name].value)
      return finding({ outcome: 'failed', value, evidence: errorPhrase(problem), problem })
    }
  }

  tasks.define<{ names: DetectableName[] }>('field-name-detection', {
    unit: 'requests',
    canPause: false,
    resumable: true,
    async run(context) {
      const { names } = context.payload
      let asked = 0
      context.report({ done: 0, total: null })
      const counts = { proven: 0, notProven: 0 }
      underWay.set(context.id, names)
      try {
        for (const name of names) {
          const found = await find(name, context, () => context.report({ done: ++asked }))
          put.run(name, JSON.stringify(found))
          counts[found.outcome === 'proven' ? 'proven' : 'notProven']++
          context.report({ counts })
        }
      } finally {
        underWay.delete(context.id)
      }
      context.report({ total: asked })
    },
  })

  return {
    /** Joins a running detection that covers these names. */
    start(names: readonly DetectableName[]): { taskId: string } {
      for (const [taskId, running] of underWay)
        if (names.every((name) => running.includes(name))) return { taskId }
      return {
        taskId: tasks.start('field-name-detection', {
          subject: { key: 'subject.fieldNames' },
          payload: { names: [...names] },
        }).id,
      }
    },
    findings: (): Detection[] =>
      read.all().flatMap((json) => {
        const { data } = detectionSchema.safeParse(JSON.parse(json))
        // The name in use may have changed since.
        return data ? [{ ...data, provenance: fieldNames()[data.name].provenance }] : []
      }),
  }
}
