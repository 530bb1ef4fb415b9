import type { ErrorView } from '#contract/define.ts'
import type { Replay, ReplaySpeed } from '#contract/replay.ts'
import { useSessionStorage } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { attempt, toErrorView } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'

/** What a replay is begun with. Times as ISO texts. */
export interface ReplayWish {
  from: string
  to: string
  speed: ReplaySpeed
  skipQuiet: boolean
}

type Control = Parameters<ReturnType<typeof useRpc>['client']['replay']['control']>[0]

/** How far a file is on its way into a replay, and what became of it. */
export type LoadStep =
  Awaited<ReturnType<ReturnType<typeof useRpc>['client']['replay']['load']>> extends AsyncIterable<infer Step>
    ? Step
    : never

/** The replay of the open connection, which all its windows share. The shell starts it with each connection. */
export const useReplayStore = defineStore('replay', () => {
  const rpc = useRpc()
  const replay = shallowRef<Replay | null>(null)
  /** False until the core has said whether there is one: until then nothing is shown as live. */
  const known = shallowRef(false)
  /** The span of one that ended without this window. It outlives a reload, which could otherwise hide that. */
  const remembered = useSessionStorage<string>('switchboard.replay', '')
  let stopping = false
  const ended = shallowRef<{ from: string; to: string } | null>(null)

  function take(next: Replay | null): void {
    if (next === null && remembered.value !== '' && !stopping) ended.value = spanOf(remembered.value)
    if (next !== null) ended.value = null
    remembered.value = next === null ? '' : `${next.from} ${next.to}`
    replay.value = next
    known.value = true
  }

  function start(): () => void {
    const unsubscribe = rpc.subscribe((client, signal) => client.replay.state(undefined, { signal }), {
      onItem: ({ replay: next }) => take(next),
      onLost: () => (known.value = true),
    })
    return () => {
      unsubscribe()
      if (replay.value) take(null)
      known.value = false
    }
  }

  async function begin(wish: ReplayWish): Promise<ErrorView | null> {
    const told = await attempt(rpc.client.replay.start(wish))
    if (told.ok) take(told.value)
    return told.ok ? null : told.error
  }

  /** Begins a replay of a file that was handed in. Answers with null when it runs or was given up, else with why not. */
  async function load(
    wish: { fileId: string },
    onStep: (step: LoadStep) => void,
    signal: AbortSignal,
  ): Promise<ErrorView | null> {
    try {
      for await (const step of await rpc.client.replay.load(wish, { signal })) {
        if (signal.aborted) return null
        if (step.kind === 'started') take(step.replay)
        onStep(step)
      }
      return null
    } catch (cause) {
      return signal.aborted ? null : toErrorView(cause)
    }
  }

  async function control(wish: Control): Promise<ErrorView | null> {
    const told = await attempt(rpc.client.replay.control(wish))
    if (told.ok && replay.value?.id === told.value.id) replay.value = told.value
    return told.ok ? null : told.error
  }

  async function stop(): Promise<ErrorView | null> {
    stopping = true
    const told = await attempt(rpc.client.replay.stop())
    if (told.ok) take(null)
    stopping = false
    return told.ok ? null : told.error
  }

  return {
    replay,
    known,
    ended,
    clockMs: computed(() => (replay.value ? Date.parse(replay.value.clock) : null)),
    start,
    begin,
    load,
    control,
    stop,
    dismissEnd: () => (ended.value = null),
  }
})

function spanOf(text: string): { from: string; to: string } | null {
  const [from, to] = text.split(' ')
  return from && to ? { from, to } : null
}
