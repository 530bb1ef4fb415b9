/** Runs tasks one after another in call order. A failed task doesn't stop the next. */
export function createSerial() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(task: () => Promise<T>): Promise<T> => {
    const result = last.then(task, task)
    last = result.catch(() => {})
    return result
  }
}
