/**
 * Yields how far some work is, only the newest step where its reader is slower, and returns what came of it: null when `signal` aborted
 * meanwhile. Throws what the work does otherwise.
 */
export async function* stepsOf<Step, Result>(
  work: (onStep: (step: Step) => void) => Promise<Result>,
  signal: AbortSignal,
): AsyncGenerator<Step, Result | null> {
  let newest = null as { step: Step } | null
  let isOver = false
  let wake = () => {}
  const running = work((step) => {
    newest = { step }
    wake()
  })
  const over = () => {
    isOver = true
    wake()
  }
  running.then(over, over)
  while (!isOver) {
    if (newest) {
      const { step } = newest
      newest = null
      yield step
    } else await new Promise<void>((resolve) => (wake = resolve))
  }
  return signal.aborted ? null : running
}
