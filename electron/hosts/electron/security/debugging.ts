import type { App } from 'electron'
import { url as inspectorUrl } from 'node:inspector'

/** Switches that open the console or its page to any program of this computer, or remove its sandbox. */
const chromiumSwitches = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-targets',
  'js-flags',
  'no-sandbox',
]
const inspectArgument = /^--?(?:inspect|debug)(?:-[a-z-]+)?(?:=|$)/

/** The unsafe switch of this start, or null. Fuses disable most of them; this check also works without fuses. */
export function debuggingSwitch(app: Pick<App, 'commandLine'>, argv: readonly string[]): string | null {
  const name = chromiumSwitches.find((each) => app.commandLine.hasSwitch(each))
  if (name !== undefined) return `--${name}`
  const argument = argv.find((each) => inspectArgument.test(each))
  if (argument !== undefined) return argument.split('=', 1)[0]!
  return inspectorUrl() === undefined ? null : '--inspect'
}
