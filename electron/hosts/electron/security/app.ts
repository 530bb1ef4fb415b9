import type { App } from 'electron'
import { url as inspectorUrl } from 'node:inspector'

/** The window stays on one page: no navigation, new window or webview. */
export function forbidNavigation(app: App): void {
  app.on('web-contents-created', (_event, contents) => {
    const refuse = (event: { preventDefault(): void }) => event.preventDefault()
    contents.on('will-navigate', refuse)
    contents.on('will-frame-navigate', refuse)
    contents.on('will-redirect', refuse)
    contents.on('will-attach-webview', refuse)
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}

/** Switches that open the console to other programs. */
const chromiumSwitches = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-targets',
  'js-flags',
]
const inspectArgument = /^--?(?:inspect|debug)(?:-[a-z-]+)?(?:=|$)/
export const noSandbox = '--no-sandbox'

/**
 * The unsafe switch of this start, or null; `noSandbox` only if it is the only one. Also covers builds without fuses, which disable most
 * of them.
 */
export function forbiddenSwitch(app: Pick<App, 'commandLine'>, argv: readonly string[]): string | null {
  const name = chromiumSwitches.find((each) => app.commandLine.hasSwitch(each))
  if (name !== undefined) return `--${name}`
  const argument = argv.find((each) => inspectArgument.test(each))
  if (argument !== undefined) return argument.split('=', 1)[0]!
  if (inspectorUrl() !== undefined) return '--inspect'
  return app.commandLine.hasSwitch('no-sandbox') ? noSandbox : null
}
