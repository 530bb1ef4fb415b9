import { app, dialog } from 'electron'
import { join } from 'node:path'
import { isAppError } from '../../contract/errors.ts'
import { UsageError } from '../node/settings.ts'
import { UnsafeDataDirError } from '../profile.ts'

/** What the process ends with; the same as the browser host's. */
export const exitCodes = { failed: 1, usage: 2, otherInstance: 3 } as const

/** The operator's sentence for a start that failed, and the exit code. Null for what only the log can explain. */
export function explain(error: unknown): [sentence: string | null, exitCode: number] {
  if (error instanceof UsageError) return [error.message, exitCodes.usage]
  if (error instanceof UnsafeDataDirError) return [error.message, exitCodes.failed]
  if (isAppError(error)) {
    return [error.message, error.code === 'OTHER_INSTANCE' ? exitCodes.otherInstance : exitCodes.failed]
  }
  const { message } = error as Error
  return [/npm run build/.test(message) ? message : null, exitCodes.failed]
}

/** Says why the console cannot run, on the desktop and on the terminal that it was started from. */
export function say(sentence: string | null): void {
  const said = sentence ?? 'Switchboard could not start. What was saved before is kept. Start it again.'
  process.stderr.write(`${said}\n`)
  dialog.showErrorBox('Switchboard did not start', said)
}

/** Ends a console of which nothing runs yet. */
export function refuse(error: unknown): void {
  const [sentence, exitCode] = explain(error)
  say(sentence)
  app.exit(exitCode)
}

let isOffering = false

/** After a failure that the process cannot live with: asks whether to start anew, then quits in order. Asked once. */
export async function offerRestart(what: string, dataDir: string): Promise<void> {
  if (isOffering) return
  isOffering = true
  const { response } = await dialog.showMessageBox({
    type: 'error',
    title: 'Switchboard',
    message: what,
    detail: `What it acknowledged is kept. ${join(dataDir, 'logs', 'main.log')} says more.`,
    buttons: ['Restart', 'Quit'],
    defaultId: 0,
    cancelId: 1,
  })
  if (response === 0) app.relaunch()
  process.exitCode = exitCodes.failed
  app.quit()
}
