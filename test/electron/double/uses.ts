import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folder in which each process writes the names of the Electron members that the console used. Unset: nothing is written. */
const folder = process.env['SWITCHBOARD_DOUBLE_USES']
const noted = new Set<string>()

/** True when the caller’s caller is code of the built console: not of the double or a test. */
export function isCallOfApp(): boolean {
  if (folder === undefined) return false
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 3
  const [, , , caller = ''] = new Error().stack!.split('\n')
  Error.stackTraceLimit = stackTraceLimit
  return caller.includes('/out/main/')
}

/** Notes `Object.member`, `Object 'event'` or `new Object`. */
export function noteUse(name: string): void {
  if (folder === undefined || noted.has(name)) return
  noted.add(name)
  mkdirSync(folder, { recursive: true })
  // Written at once: a test may kill this process.
  appendFileSync(join(folder, `${process.pid}.txt`), `${name}\n`)
}
