import type { Freshness } from '#contract/define.ts'
import type { Loadable, LoadableSource } from './loadable.ts'

/** A last answer that was given because the service is slow is asked for again after this time, so often at most. Milliseconds. */
const againMs = 1_500
const againMax = 8

/** True where the last answer was given while the service is still being asked: the core goes on, and nobody has been told why. */
const isStillAsked = (state: Loadable<{ freshness: Freshness }>): boolean =>
  state.kind === 'ready' &&
  state.error === null &&
  state.value.freshness.source === 'cache' &&
  state.value.freshness.error === null

/**
 * Reads a source, and reads it again while what it gave is the last answer because the service is slow, so that its answer, or why there
 * is none, is shown once it is known. A reading of the same question that is under way is shared by the core.
 */
export function createAskedAgain(
  source: Pick<LoadableSource<{ freshness: Freshness }>, 'refresh'> & {
    state: { readonly value: Loadable<{ freshness: Freshness }> }
  },
  after: (delayMs: number, callback: () => void) => () => void = afterTimeout,
): { refresh(): Promise<void>; stop(): void } {
  let cancel = () => {}
  let latest = 0

  async function read(again: number): Promise<void> {
    cancel()
    const mine = ++latest
    await source.refresh()
    if (mine !== latest || again >= againMax || !isStillAsked(source.state.value)) return
    cancel = after(againMs, () => void read(again + 1))
  }

  return {
    refresh: () => read(0),
    stop() {
      latest++
      cancel()
    },
  }
}

function afterTimeout(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
