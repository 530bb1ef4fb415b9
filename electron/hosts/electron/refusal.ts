import { app, dialog } from 'electron'
import { join } from 'node:path'
import { exitCodes, explain } from '../start-failure.ts'
import { relaunch } from './relaunch.ts'

/** Shows why the console can't run, on the desktop and in the terminal. */
export function say(sentence: string | null): void {
  const said = sentence ?? 'Switchboard could not start. What was saved before is kept. Start it again.'
  process.stderr.write(`${said}\n`)
  dialog.showErrorBox('Switchboard did not start', said)
}

/** Ends a console before anything runs. */
export function refuse(error: unknown): void {
  const [sentence, exitCode] = explain(error)
  say(sentence)
  app.exit(exitCode)
}

let isOffering = false

/** After a fatal failure: offers a restart once, then quits in order. */
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
  const isRestart = response === 0
  // The launcher restarts with its own environment.
  const hasLauncher = process.connected
  if (isRestart && !hasLauncher) relaunch()
  process.exitCode = isRestart && hasLauncher ? exitCodes.restart : exitCodes.failed
  app.quit()
}
