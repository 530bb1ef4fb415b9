/**
 * `node run.ts <main.js>`: runs a built Electron main process under Node, with the double instead of `electron`. A parent with an IPC
 * channel may send `{ id, source, argument }` to run a function in this process, as Playwright’s `evaluate` does in Electron, and gets `{
 * id, ok, value | message }`.
 */
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

interface Asked {
  id: number
  source: string
  argument: unknown
}

type Evaluated = (electron: object, argument: unknown) => unknown

const own: Record<string, () => unknown> = { '#devtools': devToolsUrl, '#problems': problemsSoFar }

process.on('message', ({ id, source, argument }: Asked) => {
  const evaluate = () =>
    (new Function('electron', 'argument', `return (${source})(electron, argument)`) as Evaluated)(
      electron,
      argument,
    )
  new Promise((settle) => settle((own[source] ?? evaluate)())).then(
    (value) => process.send?.({ id, ok: true, value }),
    (error: Error) => process.send?.({ id, ok: false, message: error.stack ?? error.message }),
  )
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
