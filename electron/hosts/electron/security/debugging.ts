import type { App } from 'electron'
import { url as inspectorUrl } from 'node:inspector'

/** Switches that open the console, or the page in it, to any program of this computer, or take its sandbox away. */
const chromiumSwitches = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-targets',
  'js-flags',
  'no-sandbox',
]
const inspectArgument = /^--?(?:inspect|debug)(?:-[a-z-]+)?(?:=|$)/

/** The debugging or unsafe switch that the console was started with, or null. The fuses close most of them; this one needs no fuse. */
export function debuggingSwitch(app: Pick<App, 'commandLine'>, argv: readonly string[]): string | null {
  const name = chromiumSwitches.find((each) => app.commandLine.hasSwitch(each))
  if (name !== undefined) return `--${name}`
  const argument = argv.find((each) => inspectArgument.test(each))
  if (argument !== undefined) return argument.split('=', 1)[0]!
  return inspectorUrl() === undefined ? null : '--inspect'
}
