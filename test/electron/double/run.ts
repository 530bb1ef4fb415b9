/**
 * `node run.ts <main.js>`: runs a built Electron main process under Node, with the double instead of `electron`. A parent with an IPC
 * channel may call its functions.
 */
import { createBirpc } from 'birpc'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { becomeReady } from './app.ts'
import { devToolsUrl } from './chromium.ts'
import * as electron from './electron.ts'
import { problem, problemsSoFar } from './problems.ts'

const double = new URL('./electron.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier.startsWith('electron/')
      ? { url: double, shortCircuit: true }
      : next(specifier, context),
})

const functions = {
  /** Where Chromium can be driven; null before it runs. */
  devTools: devToolsUrl,
  /** Errors without a caller. */
  problems: problemsSoFar,
  /** Calls a function, as Playwright’s `evaluate` does in Electron. */
  run: (source: string, argument: unknown): unknown =>
    (new Function('electron', 'argument', `return (${source})(electron, argument)`) as Evaluated)(
      electron,
      argument,
    ),
}
export type DoubleFunctions = typeof functions
type Evaluated = (electron: object, argument: unknown) => unknown

createBirpc<object, DoubleFunctions>(functions, {
  post: (data) => process.send?.(data),
  on: (receive) => void process.on('message', receive),
})
// The driving process is gone.
process.on('disconnect', () => electron.app.exit(1))

const main = resolve(process.argv[2]!)
process.argv = [process.argv[0]!, main, ...process.argv.slice(3)]
try {
  await import(pathToFileURL(main).href)
} catch (error) {
  problem(error)
  process.exitCode = 1
}
becomeReady()
