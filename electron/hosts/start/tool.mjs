// Must parse on runtimes too old for the rest: syntax and API of Node 14.
import { existsSync, readFileSync } from 'fs'
import { delimiter, dirname, join } from 'path'

/** The script behind a command such as `eslint`, from the packages in package.json, or null. */
export function findTool(root, command) {
  const { dependencies, devDependencies } = readJson(join(root, 'package.json'))
  for (const name of Object.keys(Object.assign({}, dependencies, devDependencies))) {
    const folder = join(root, 'node_modules', name)
    if (!existsSync(join(folder, 'package.json'))) continue
    const { bin } = readJson(join(folder, 'package.json'))
    const bins = typeof bin === 'string' ? { [name.split('/').pop()]: bin } : bin || {}
    if (Object.prototype.hasOwnProperty.call(bins, command)) return join(folder, bins[command])
  }
  return null
}

/** An environment in which `node` is this runtime, for npm scripts of a tool. */
export function withRuntimeFirst(env, runtime) {
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') || 'PATH'
  return Object.assign({}, env, { [key]: dirname(runtime) + delimiter + (env[key] || '') })
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
