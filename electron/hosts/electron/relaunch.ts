import { app } from 'electron'
import { secretVariables } from '../settings.ts'

const withdrawn: NodeJS.ProcessEnv = {}

/** Takes the secrets out of the environment: no process that is started from here inherits them. */
export function withdrawSecrets(): void {
  for (const name of secretVariables) {
    if (process.env[name] === undefined) continue
    withdrawn[name] = process.env[name]
    Reflect.deleteProperty(process.env, name)
  }
}

/** Has the app started again when this process has ended, with everything it was started with itself. */
export function relaunch(): void {
  // The helper that waits for this process's end is started here, and hands on the environment of this moment.
  Object.assign(process.env, withdrawn)
  app.relaunch()
  withdrawSecrets()
}
