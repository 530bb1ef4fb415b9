import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { usesFolder } from './desktop.ts'
import { expect, test } from './fixtures.ts'
import { usedMembers } from './members.ts'

/** What no spec over the double can bring about, and why. */
const unseen = new Set([
  // A fatal error of V8 in the keychain's process, and a kill before it has begun.
  "UtilityProcess 'error'",
  "UtilityProcess 'spawn'",
  // Closing a window of a Mac after its typed text was discarded.
  'BrowserWindow.close',
  // The moment in which an update of a packaged app is installed.
  "App 'quit'",
  'BrowserWindow.destroy',
  // Ports that the core does not call yet.
  'Dialog.showSaveDialog',
  'Shell.openExternal',
])

test('a spec over the double exercises every Electron member and event that the console uses', () => {
  const exercised = new Set(
    (existsSync(usesFolder) ? readdirSync(usesFolder) : []).flatMap((name) =>
      readFileSync(join(usesFolder, name), 'utf8').split('\n'),
    ),
  )
  const missing = usedMembers().filter((name) => !exercised.has(name))
  expect(missing.filter((name) => !unseen.has(name))).toEqual([])
})
