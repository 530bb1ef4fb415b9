import type { ErrorView } from '#contract/define.ts'
import type { MessageRelease, messagesContract } from '#contract/views/messages.ts'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

type Outputs = InferContractRouterOutputs<typeof messagesContract>

/** A run of releases as the core keeps it. */
export type ReleaseRun = NonNullable<Outputs['run']>

/** The question before a release. `plan` is null until it was read. */
export interface ReleaseQuestion {
  ids: readonly string[]
  plan: Outputs['planRelease'] | null
}

/** How often a run under way is looked at, milliseconds. */
const lookEveryMs = 700

/** Codes after which nobody in this window knows whether a release was begun. */
const unsure = ['DISCONNECTED', 'INTERNAL']

/** Releasing one message or several, with a question before and a result for each. */
export interface ReleaseMessages {
  question: Readonly<ShallowRef<ReleaseQuestion | null>>
  busy: Readonly<ShallowRef<boolean>>
  error: Readonly<ShallowRef<ErrorView | null>>
  /** The newest run, under way or ended; null when there is none, or it was put away. */
  run: Readonly<ShallowRef<ReleaseRun | null>>
  /** What came of the last single release. */
  single: Readonly<ShallowRef<MessageRelease | null>>
  ask(ids: readonly string[]): Promise<void>
  cancel(): void
  /** Releases what was asked about. A second call while the first is under way does nothing. */
  confirm(typedName: string | undefined): Promise<void>
  /** Shows the run of this id, or with none the newest one that is still under way. */
  showRun(runId?: string): Promise<void>
  stopRun(): Promise<void>
  dismiss(): void
  end(): void
}

/** `onReleased` is told of every message that may have changed. */
export function createReleaseMessages(
  client: Pick<Client, 'messages' | 'tasks'>,
  onReleased: (release: MessageRelease) => void,
): ReleaseMessages {
  const question = shallowRef<ReleaseQuestion | null>(null)
  const busy = shallowRef(false)
  const error = shallowRef<ErrorView | null>(null)
  const run = shallowRef<ReleaseRun | null>(null)
  const single = shallowRef<MessageRelease | null>(null)
  const told = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false

  function tell(releases: readonly MessageRelease[]): void {
    for (const release of releases)
      if (!['waiting', 'in-flight'].includes(release.state) && !told.has(release.seq)) {
        told.add(release.seq)
        onReleased(release)
      }
  }

  async function look(runId: string): Promise<void> {
    clearTimeout(timer)
    const answer = await attempt(client.messages.run({ runId }))
    if (ended) return
    if (answer.ok && answer.value) {
      run.value = answer.value
      tell(answer.value.releases)
    }
    if (!answer.ok || answer.value?.isRunning) timer = setTimeout(() => void look(runId), lookEveryMs)
  }

  return {
    question,
    busy,
    error,
    run,
    single,
    async ask(ids) {
      if (busy.value || ids.length === 0) return
      error.value = null
      const asked: ReleaseQuestion = { ids, plan: null }
      question.value = asked
      const answer = await attempt(client.messages.planRelease({ ids: [...ids] }))
      if (question.value !== asked) return
      if (answer.ok) question.value = { ids, plan: answer.value }
      else error.value = answer.error
    },
    cancel() {
      if (!busy.value) question.value = null
    },
    async confirm(typedName) {
      const asked = question.value
      if (asked === null || busy.value) return
      busy.value = true
      error.value = null
      const confirmName = typedName === undefined ? {} : { confirmName: typedName }
      const [id] = asked.ids
      if (asked.ids.length === 1 && id !== undefined) {
        const answer = await attempt(client.messages.release({ id, ...confirmName }))
        if (answer.ok) {
          single.value = answer.value
          tell([answer.value])
        } else error.value = answer.error
      } else {
        const answer = await attempt(client.messages.releaseMany({ ids: [...asked.ids], ...confirmName }))
        if (answer.ok) {
          single.value = null
          await look(answer.value.runId)
        } else error.value = answer.error
      }
      busy.value = false
      // Where it may have begun, the same button must not be there to be pressed again.
      if (error.value === null || unsure.includes(error.value.code)) question.value = null
    },
    async showRun(runId) {
      const answer = await attempt(client.messages.run(runId === undefined ? {} : { runId }))
      if (ended || !answer.ok || answer.value === null) return
      if (runId === undefined && !answer.value.isRunning) return
      for (const { seq, state } of answer.value.releases)
        if (!['waiting', 'in-flight'].includes(state)) told.add(seq)
      run.value = answer.value
      if (runId !== undefined) single.value = null
      if (answer.value.isRunning) timer = setTimeout(() => void look(answer.value!.runId), lookEveryMs)
    },
    async stopRun() {
      const { taskId, runId } = run.value ?? {}
      if (!taskId || !runId) return
      const answer = await attempt(client.tasks.cancel({ id: taskId }))
      error.value = answer.ok ? null : answer.error
      await look(runId)
    },
    dismiss() {
      clearTimeout(timer)
      run.value = null
      single.value = null
      error.value = null
    },
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
