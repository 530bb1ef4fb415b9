import type { Detection } from '#contract/platform/settings.ts'
import type { Script } from './script.ts'
import { ago, dayMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

/** The result of a detection: one name verified, one unverifiable. */
export function ordinaryFindings(): Detection[] {
  return [
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
}

export function scriptedDetection(
  tasks: ScriptedTasks,
): Pick<Script['settings'], 'detectFieldNames' | 'detections'> {
  let findings = ordinaryFindings()
  return {
    detectFieldNames: ({ names }) => {
      findings = findings.map((finding) =>
        names && !names.includes(finding.name) ? finding : { ...finding, asOf: ago(0) },
      )
      return tasks.finish({ kind: 'field-name-detection', subject: 'Field names', counts: { proven: 1 } })
    },
    detections: () => ({ findings }),
  }
}
