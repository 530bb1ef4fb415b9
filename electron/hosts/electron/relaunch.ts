import { app } from 'electron'
import { spawn } from 'node:child_process'
import { wholeEnvironment, withdrawSecrets } from '../withdrawn-secrets.ts'

/** The AppImage that this program runs from, or null. A program started from another AppImage inherits that one's variables. */
export function ownAppImage(env: NodeJS.ProcessEnv, program: string): string | null {
  const { APPIMAGE: file, APPDIR: mount } = env
  return file && mount && program.startsWith(`${mount}/`) ? file : null
}

/** Starts the app again after this process has ended in any way, in the environment of its own start. */
export function relaunch(env = wholeEnvironment()): void {
  const appImage = ownAppImage(env, process.execPath)
  const args = process.argv.slice(1)
  // Electron's own helper runs from the AppImage's mount, which ends with this process.
  if (appImage !== null) return void startAfterEnd(appImage, args, env)
  // The helper starts now and inherits the current environment.
  Object.assign(process.env, env)
  app.relaunch()
  withdrawSecrets()
}

/** Starts `program` when this process ends, which ends the input of the shell that waits. */
export const startAfterEnd = (program: string, args: string[], env: NodeJS.ProcessEnv) =>
  spawn('/bin/sh', ['-c', 'read -r _; exec "$@" </dev/null', 'sh', program, ...args], {
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
