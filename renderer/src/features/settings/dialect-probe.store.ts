import type { ProbedName } from '#contract/dialect.ts'
import type { ErrorView } from '#contract/define.ts'
import type { ProbeFinding } from '#contract/settings.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { useTasksStore } from '../../shared/tasks/tasks.store.ts'

/** The probe of the open names: what the last one found of each, and the one under way. */
export const useDialectProbeStore = defineStore('settings.dialect-probe', () => {
  const { client } = useRpc()
  const tasks = useTasksStore()
  const findings = createLoadable(() => client.settings.probeFindings())
  const refused = shallowRef<ErrorView | null>(null)
  const asking = shallowRef(false)

  function start(): () => void {
    findings.reset()
    void findings.refresh()
    return findings.reset
  }

  /** Begins a probe of these names, or of all that can be. */
  async function probe(names?: ProbedName[]): Promise<void> {
    asking.value = true
    const answer = await attempt(client.settings.probeDialect(names ? { names } : {}))
    asking.value = false
    refused.value = answer.ok ? null : answer.error
    if (answer.ok) await findings.refresh()
  }

  const byName = computed(() => {
    const { value } = findings.state
    const known = value.kind === 'ready' ? value.value.findings : []
    return new Map<string, ProbeFinding>(known.map((finding) => [finding.name, finding]))
  })

  return {
    findings: findings.state,
    byName,
    refused,
    asking,
    /** The probe that is not at its end, or null. */
    task: computed(() => tasks.open.find(({ kind }) => kind === 'dialect-probe') ?? null),
    start,
    probe,
    refresh: findings.refresh,
  }
})
