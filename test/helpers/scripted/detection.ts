import type { Detection } from '#contract/platform/settings.ts'
import type { Script } from './script.ts'
import { ago, dayMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

/** The result of a detection: one name verified, one unverifiable. */
const findings: Detection[] = [
  {
    name: 'dncCheckParameter',
    value: 'phone_number',
    provenance: 'assumed',
    outcome: 'not-provable',
    evidence: 'GET /dnc gave no entry to compare with, so no name can be told from another.',
    problem: null,
    asOf: ago(2 * dayMs),
  },
  {
    name: 'errorCodeSearchParameter',
    value: 'q',
    provenance: 'proven',
    outcome: 'proven',
    evidence: 'GET /error-codes/search?q=zzqx-nothing answered an empty list; q=1 answered 2 records.',
    problem: null,
    asOf: ago(2 * dayMs),
  },
]

export const scriptedDetection = (
  tasks: ScriptedTasks,
): Pick<Script['settings'], 'detectFieldNames' | 'detections'> => ({
  detectFieldNames: () =>
    tasks.finish({ kind: 'field-name-detection', subject: 'Field names', counts: { proven: 1 } }),
  detections: () => ({ findings }),
})
