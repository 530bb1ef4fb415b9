import { app } from 'electron'
import { secretVariables } from '../settings.ts'

const withdrawn: NodeJS.ProcessEnv = {}

/** Removes secrets from the environment, so child processes don't inherit them. */
export function withdrawSecrets(): void {
  for (const name of secretVariables) {
    if (process.env[name] === undefined) continue
    withdrawn[name] = process.env[name]
    Reflect.deleteProperty(process.env, name)
  }
}

/** Restarts the app after this process, with its original environment. */
export function relaunch(): void {
  // The relaunch helper starts now and inherits the current environment.
  Object.assign(process.env, withdrawn)
  app.relaunch()
  withdrawSecrets()
}
