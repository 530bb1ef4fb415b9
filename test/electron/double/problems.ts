const problems: string[] = []

/** Records an error that has no caller. The test fails for it when the app closes. */
export function problem(error: unknown): void {
  problems.push(String(error))
  process.stderr.write(`[electron double] ${String(error)}\n`)
}

export const problemsSoFar = () => problems

/** The event object of Electron's preventable events. */
export function preventable() {
  const event = { defaultPrevented: false, preventDefault: () => void (event.defaultPrevented = true) }
  return event
}
