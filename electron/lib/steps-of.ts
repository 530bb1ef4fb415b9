/**
 * Yields the progress of `work`, only the newest step if the reader is slow. Returns its result, or null when
 * `signal` aborted. Throws what the work throws.
 */
export async function* stepsOf<Step, Result>(
  work: (onStep: (step: Step) => void) => Promise<Result>,
  signal: AbortSignal,
): AsyncGenerator<Step, Result | null> {
  let newest = null as { step: Step } | null
  let isSettled = false
  let wake = () => {}
  const running = work((step) => {
    newest = { step }
    wake()
  })
  const settle = () => {
    isSettled = true
    wake()
  }
  running.then(settle, settle)
  while (!isSettled) {
    if (newest) {
      const { step } = newest
      newest = null
      yield step
    } else await new Promise<void>((resolve) => (wake = resolve))
  }
  return signal.aborted ? null : running
}
