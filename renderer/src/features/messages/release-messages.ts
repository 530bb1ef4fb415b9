import type { MessageRelease, messagesContract } from '#contract/views/messages.ts'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { computed, shallowRef } from 'vue'
import type { ErrorView } from '#contract/define.ts'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { useQuestion } from '../../shared/ui/use-question.ts'

type Outputs = InferContractRouterOutputs<typeof messagesContract>

type ReleaseRun = NonNullable<Outputs['run']>

/** The question before a release. `plan` is null until it is loaded. */
export interface ReleaseQuestion {
  messages: readonly { id: string; to: string | null }[]
  plan: Outputs['planRelease'] | null
}

/** How often a run in progress is polled, milliseconds. */
const lookEveryMs = 700

/** Releases one or several messages: asks first, and keeps a result for each. `onReleased` gets every message that may have changed. */
export function createReleaseMessages(
  client: Pick<Client, 'messages' | 'tasks'>,
  onReleased: (release: MessageRelease) => void,
) {
  const question = useQuestion<ReleaseQuestion>()
  /** The newest run, even after it ended; null without one or once dismissed. */
  const run = shallowRef<ReleaseRun | null>(null)
  /** The result of the last single release. */
  const single = shallowRef<MessageRelease | null>(null)
  const reported = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false

  function tell(releases: readonly MessageRelease[]): void {
    for (const release of releases)
      if (!['waiting', 'in-flight'].includes(release.state) && !reported.has(release.seq)) {
        reported.add(release.seq)
        onReleased(release)
      }
  }

  /** One run is polled at a time. */
  function lookLater(runId: string): void {
    clearTimeout(timer)
    if (!ended) timer = setTimeout(() => void look(runId), lookEveryMs)
  }

  async function look(runId: string): Promise<void> {
    clearTimeout(timer)
    const answer = await attempt(client.messages.run({ runId }))
    if (ended) return
    if (answer.ok && answer.value) {
      run.value = answer.value
      tell(answer.value.releases)
    }
    if (!answer.ok || answer.value?.isRunning) lookLater(runId)
  }

  /** Loads the plan of the question, again after a sync of the DNC list; `problem`: of the sync. */
  async function plan(problem: ErrorView | null = null): Promise<void> {
    const asked = question.about
    if (asked === null) return
    const messages = asked.messages.map(({ id, to }) => ({ id, to }))
    const answer = await attempt(client.messages.planRelease({ messages }))
    if (question.about !== asked) return
    if (answer.ok) question.about = { ...asked, plan: answer.value }
    question.error = answer.ok ? problem : answer.error
  }

  return {
    question,
    run,
    single,
    isRunning: computed(() => single.value === null && (run.value?.isRunning ?? false)),
    results: computed(() => (single.value ? [single.value] : (run.value?.releases ?? null))),
    ask(messages: ReleaseQuestion['messages']) {
      if (question.busy || messages.length === 0) return
      question.ask({ messages, plan: null })
      return plan()
    },
    plan,
    /** Releases the messages of the question. A second call while the first runs does nothing. */
    async confirm(typedName: string | undefined, uncheckedKnowingly: boolean) {
      const asked = question.about
      if (asked === null || question.busy) return
      question.busy = true
      question.error = null
      const confirmed = {
        uncheckedKnowingly,
        confirmName: typedName,
      }
      const ids = asked.messages.map(({ id }) => id)
      const [id] = ids
      // A run waits until opt-outs can be read.
      const waits = !uncheckedKnowingly && (asked.plan?.dncList.waits ?? null) !== null
      if (ids.length === 1 && id !== undefined && !waits) {
        const answer = await attempt(client.messages.release({ id, ...confirmed }))
        if (answer.ok) {
          single.value = answer.value
          tell([answer.value])
        } else question.error = answer.error
      } else {
        const answer = await attempt(client.messages.releaseMany({ ids, ...confirmed }))
        if (answer.ok) {
          single.value = null
          await look(answer.value.runId)
        } else question.error = answer.error
      }
      question.busy = false
      // A release that may have started must not be a click away from a repeat.
      if (question.error === null || question.error.acted !== 'no') question.close()
    },
    /** Shows this run, or the newest one still running. */
    async showRun(runId?: string) {
      const answer = await attempt(client.messages.run(runId === undefined ? {} : { runId }))
      if (ended || !answer.ok || answer.value === null) return
      if (runId === undefined && !answer.value.isRunning) return
      for (const { seq, state } of answer.value.releases)
        if (!['waiting', 'in-flight'].includes(state)) reported.add(seq)
      run.value = answer.value
      if (runId !== undefined) single.value = null
      if (answer.value.isRunning) lookLater(answer.value.runId)
    },
    async stopRun() {
      const { taskId, runId } = run.value ?? {}
      if (!taskId || !runId) return
      const answer = await attempt(client.tasks.cancel({ id: taskId }))
      question.error = answer.ok ? null : answer.error
      await look(runId)
    },
    dismiss() {
      clearTimeout(timer)
      run.value = null
      single.value = null
      question.error = null
    },
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
