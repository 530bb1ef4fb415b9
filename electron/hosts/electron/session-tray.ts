import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const watcher = 'org.kde.StatusNotifierWatcher'
const path = '/StatusNotifierWatcher'
const property = 'IsStatusNotifierHostRegistered'
/** Tools that read a property of the session bus, one of which every desktop has. Their answers are `(<true>,)` and `b true`. */
const tools: [file: string, args: string[]][] = [
  [
    'gdbus',
    ['call', '--session', '--dest', watcher, '--object-path', path, '--method']
      .concat('org.freedesktop.DBus.Properties.Get')
      .concat(watcher, property),
  ],
  ['busctl', ['--user', 'get-property', watcher, path, watcher, property]],
]
const answerTimeoutMs = 1_000

const runTool = async (file: string, args: string[]) =>
  (await promisify(execFile)(file, args, { timeout: answerTimeoutMs })).stdout

/**
 * Whether the desktop shows tray icons. Asks the session on Linux, where `new Tray` also succeeds without anything that shows it. False
 * if nothing answers, and for trays of the older X11 kind.
 */
export async function showsTrayIcons(platform: NodeJS.Platform, run = runTool): Promise<boolean> {
  if (platform !== 'linux') return true
  for (const [file, args] of tools) {
    const answer = await run(file, args).catch(() => '')
    if (answer !== '') return /\btrue\b/.test(answer)
  }
  return false
}
