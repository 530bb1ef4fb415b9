import type { PauseAllRun } from '#contract/campaigns.ts'
import type { ErrorView } from '#contract/define.ts'
import type { Campaign } from '#contract/domain.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'

/** `asking`: what would be paused, read now over all pages; `running`: under way or at its end, until it is put away. */
export type PauseAllState =
  | { kind: 'closed' }
  | { kind: 'reading' }
  | { kind: 'failed'; error: ErrorView }
  | { kind: 'asking'; items: readonly Campaign[]; complete: boolean; busy: boolean; error: ErrorView | null }
  | { kind: 'running'; run: PauseAllRun; lost: ErrorView | null }

/** Pausing all running campaigns, with one question before. */
export interface PauseAllFlow {
  state: Readonly<ShallowRef<PauseAllState>>
  /** Reads the running campaigns and asks. */
  ask(): Promise<void>
  confirm(typedName: string | undefined): Promise<void>
  close(): void
  /** Asks how far it is. Resolves to true while it is under way. */
  look(): Promise<boolean>
}

export function createPauseAllFlow(client: Pick<Client, 'campaigns'>, onChange: () => void): PauseAllFlow {
  const state = shallowRef<PauseAllState>({ kind: 'closed' })

  async function ask(): Promise<void> {
    state.value = { kind: 'reading' }
    const [run, answer] = await Promise.all([
      attempt(client.campaigns.pauseAllRun()),
      attempt(client.campaigns.running()),
    ])
    if (state.value.kind !== 'reading') return
    if (run.ok && run.value.run !== null && run.value.run.endedAt === null)
      state.value = { kind: 'running', run: run.value.run, lost: null }
    else if (answer.ok)
      state.value = {
        kind: 'asking',
        items: answer.value.items,
        complete: answer.value.complete,
        busy: false,
        error: null,
      }
    else state.value = { kind: 'failed', error: answer.error }
  }

  async function confirm(typedName: string | undefined): Promise<void> {
    const question = state.value
    if (question.kind !== 'asking' || question.busy || question.items.length === 0) return
    state.value = { ...question, busy: true, error: null }
    const answer = await attempt(
      client.campaigns.pauseAll({
        ids: question.items.map(({ id }) => id),
        ...(typedName === undefined ? {} : { confirmName: typedName }),
      }),
    )
    state.value = answer.ok
      ? { kind: 'running', run: answer.value, lost: null }
      : { ...question, busy: false, error: answer.error }
    onChange()
  }

  async function look(): Promise<boolean> {
    const before = state.value
    if (before.kind !== 'running' || before.run.endedAt !== null) return false
    const answer = await attempt(client.campaigns.pauseAllRun())
    if (state.value !== before) return true
    if (!answer.ok) state.value = { ...before, lost: answer.error }
    else if (answer.value.run !== null) state.value = { kind: 'running', run: answer.value.run, lost: null }
    onChange()
    return true
  }

  return { state, ask, confirm, look, close: () => (state.value = { kind: 'closed' }) }
}

const words: Record<
  PauseAllRun['items'][number]['state'],
  { said: string; tone: 'ok' | 'warn' | 'bad' | 'quiet' }
> = {
  waiting: { said: 'Waiting', tone: 'quiet' },
  pausing: { said: 'Pausing', tone: 'quiet' },
  paused: { said: 'Paused', tone: 'ok' },
  'already-paused': { said: 'Was paused already', tone: 'ok' },
  'not-running': { said: 'Was not running', tone: 'quiet' },
  refused: { said: 'Not paused', tone: 'bad' },
  unknown: { said: 'Not known', tone: 'warn' },
}

/** One campaign's result in words and a colour. */
export const resultLook = (state: PauseAllRun['items'][number]['state']) => words[state]
