import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { usesFolder } from './desktop.ts'
import { expect, test } from './fixtures.ts'
import { usedMembers } from './members.ts'

/** What no spec over the double can cause, and why. */
const unseen = new Set([
  // A fatal V8 error in the keychain’s process, and a kill before it started.
  "UtilityProcess 'error'",
  "UtilityProcess 'spawn'",
  // Closing a window on a Mac after discarding typed text.
  'BrowserWindow.close',
  // Installing an update of a packaged app.
  "App 'quit'",
  "AutoUpdater 'before-quit-for-update'",
  'BrowserWindow.destroy',
  // Ports that the core doesn’t call yet.
  'BrowserWindow.getFocusedWindow',
  'Dialog.showSaveDialog',
  'Shell.openExternal',
])

/** What `unit/hosts/electron` exercises in process. */
const inProcess = new Set([
  "App 'open-file'",
  "App 'open-url'",
  'App.setAsDefaultProtocolClient',
  "BrowserWindow 'session-end'",
  "BrowserWindow 'unresponsive'",
  'BrowserWindow.minimize',
  "Notification 'failed'",
  "PowerMonitor 'shutdown'",
  'Session.defaultSession',
  'Session.resolveProxy',
  'Shell.openPath',
  "WebContents 'preload-error'",
  "WebContents 'will-attach-webview'",
  "WebContents 'will-navigate'",
  "WebContents 'will-redirect'",
  'WebContents.forcefullyCrashRenderer',
])

test('a spec over the double exercises every Electron member and event that the console uses', () => {
  const exercised = new Set(
    (existsSync(usesFolder) ? readdirSync(usesFolder) : []).flatMap((name) =>
      readFileSync(join(usesFolder, name), 'utf8').split('\n'),
    ),
  )
  const missing = usedMembers().filter((name) => !exercised.has(name))
  expect(missing.filter((name) => !unseen.has(name) && !inProcess.has(name))).toEqual([])
})
