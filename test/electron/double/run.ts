/**
 * `node run.ts <main.js>`: runs a built Electron main process under Node, with the double instead of `electron`. A parent with an IPC
 * channel may send `{ id, source, argument }` to run a function in this process, as Playwright’s `evaluate` does in Electron, and gets `{
 * id, ok, value | message }`.
 */
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as electron from './electron.ts'
import { becomeReady } from './app.ts'
import { problem, problemsSoFar } from './loud.ts'
import { devToolsUrl } from './pages.ts'

const double = new URL('./electron.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier.startsWith('electron/')
      ? { url: double, shortCircuit: true }
      : next(specifier, context),
})

interface Asked {
  id: number
  source: string
  argument: unknown
}

const own: Record<string, () => unknown> = {
  '#devtools': devToolsUrl,
  '#problems': problemsSoFar,
}

process.on('message', ({ id, source, argument }: Asked) => {
  const call =
    own[source] ??
    (() =>
      (
        new Function('electron', 'argument', `return (${source})(electron, argument)`) as (
          e: unknown,
          a: unknown,
        ) => unknown
      )(electron, argument))
  new Promise((settle) => settle(call())).then(
    (value) => process.send?.({ id, ok: true, value }),
    (error: unknown) =>
      process.send?.({
        id,
        ok: false,
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  )
})
// The driving process is gone.
process.on('disconnect', () => electron.app.exit(1))

const main = resolve(process.argv[2]!)
process.argv = [process.argv[0]!, main, ...process.argv.slice(3)]
try {
  await import(pathToFileURL(main).href)
} catch (error) {
  problem(`the app's module failed: ${error instanceof Error ? error.stack : String(error)}`)
  process.exitCode = 1
}
becomeReady()
