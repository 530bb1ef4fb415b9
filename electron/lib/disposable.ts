/** Undoes one thing. Safe to call twice. */
export type Dispose = () => void | Promise<void>

/**
 * Collects what was started, in order, and undoes it in reverse.
 * Every step is tried even when one fails; the failures are thrown together at the end.
 */
export function createDisposer(): { add(dispose: Dispose): void; dispose(): Promise<void> } {
  let steps: Dispose[] = []
  return {
    add(dispose) {
      steps.push(dispose)
    },
    async dispose() {
      const pending = steps.reverse()
      steps = []
      const failures: unknown[] = []
      for (const step of pending) {
        try {
          await step()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'Some parts did not stop cleanly')
    },
  }
}
