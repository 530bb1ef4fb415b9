import { secretVariables } from './settings.ts'

const withdrawn: NodeJS.ProcessEnv = {}

/** Removes secrets from the environment, so child processes don't inherit them. */
export function withdrawSecrets(): void {
  for (const name of secretVariables) {
    if (process.env[name] === undefined) continue
    withdrawn[name] = process.env[name]
    Reflect.deleteProperty(process.env, name)
  }
}

/** The environment with its secrets, for a start of Switchboard itself. */
export const wholeEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, ...withdrawn })
