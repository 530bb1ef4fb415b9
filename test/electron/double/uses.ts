import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folder in which each process leaves the names of the members of Electron that the console used. Without it nothing is noted. */
const folder = process.env['SWITCHBOARD_DOUBLE_USES']
const noted = new Set<string>()

/** True when the caller's caller is code of the built console: not the double's own, not a test's. */
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
  // At once: a test may kill this process.
  appendFileSync(join(folder, `${process.pid}.txt`), `${name}\n`)
}
