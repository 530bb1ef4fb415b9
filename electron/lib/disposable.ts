export type Dispose = () => void | Promise<void>

/** Collects what was started and disposes it in reverse. Tries every step; throws all failures together at the end. */
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
