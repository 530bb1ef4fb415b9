/** Runs tasks one after another, in the order they were asked for. A failed task does not stop the next. */
export type Serial = <T>(task: () => Promise<T>) => Promise<T>

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task, task)
    last = result.catch(() => {})
    return result
  }
}
