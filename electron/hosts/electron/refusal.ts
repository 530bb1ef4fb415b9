import { app, dialog } from 'electron'
import { join } from 'node:path'
import { exitCodes } from '../../lib/command-line.ts'
import { explain } from '../start-failure.ts'
import { afterStall, endNow } from '../restart-process.ts'
import { wholeEnvironment } from '../withdrawn-secrets.ts'
import { relaunch } from './relaunch.ts'
import { t } from './texts.ts'

/** Shows why the console can't run, on the desktop and in the terminal. */
export function say(sentence: string | null): void {
  const text = sentence ?? t('refused.unknown')
  process.stderr.write(`${text}\n`)
  dialog.showErrorBox(t('refused.title'), text)
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
    detail: t('restart.detail', { log: join(dataDir, 'logs', 'main.log') }),
    buttons: [t('restart.restart'), t('menu.quit')],
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

/** What `start.mjs` understands as a wish to start the console again after its end. */
export const restartMessage = 'restart'

/** Starts the console again and ends this process, whose core thread can't be ended. */
export function restartStuck(): void {
  if (process.connected) process.send!(restartMessage, () => endNow())
  else {
    relaunch(afterStall(wholeEnvironment()))
    endNow()
  }
}
