import { app } from 'electron'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockProfile } from '../../database/instance-lock.ts'
import { defaultDataDir, prepareDataDir } from '../profile.ts'
import { readDesktopSettings } from '../settings.ts'
import { exitCodes } from '../start-failure.ts'
import { type OpenedProfile, startConsole } from './console.ts'
import { collectOpened, ownArguments } from './opened.ts'
import { declareScheme } from './protocol.ts'
import { refuse } from './refusal.ts'
import { withdrawSecrets } from './relaunch.ts'
import { debuggingSwitch } from './security/debugging.ts'
import { forbidNavigation } from './security/navigation.ts'

// Electron reports ready once this module has been evaluated: nothing here may wait for it (its ESM guide).
process.umask(0o077)
// By default Node opens its debugger to any program of this user. Windows has no such signal.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {})
app.enableSandbox()
app.setAppUserModelId('app.switchboard.console')
declareScheme()
forbidNavigation(app)

/**
 * Takes the profile for this process: Chromium's own files go below it, so Electron's instance lock is one per profile;
 * SQLite's lock beside it keeps the browser host out as well. Null when another window of this profile was brought up instead.
 * Throws the errors of settings, data folder and lock.
 */
function openProfile(): OpenedProfile | null {
  const settings = readDesktopSettings(process.argv.slice(1), process.env, (sentence) =>
    process.stderr.write(`${sentence}\n`),
  )
  withdrawSecrets()
  const dataDir = prepareDataDir(settings.dataDir ?? defaultDataDir())
  const chromiumDir = join(dataDir, 'chromium')
  mkdirSync(chromiumDir, { recursive: true, mode: 0o700 })
  app.setPath('userData', chromiumDir)
  if (!app.requestSingleInstanceLock({ args: ownArguments(app), cwd: process.cwd() })) return null
  return { settings, dataDir, lock: lockProfile(dataDir) }
}

function start(): void {
  const forbidden = app.isPackaged ? debuggingSwitch(app, process.argv) : null
  if (forbidden !== null) {
    // An AppImage adds --no-sandbox where the system denies the sandbox. The .deb has a profile that allows it.
    const advice = process.env['APPIMAGE'] ? 'Leave it out, or install the .deb package.' : 'Leave it out.'
    process.stderr.write(`Switchboard does not start with ${forbidden}. Nothing was opened. ${advice}\n`)
    return app.exit(exitCodes.usage)
  }
  let profile: OpenedProfile | null
  try {
    profile = openProfile()
  } catch (error) {
    // Shown once there is a desktop to show it on.
    void app.whenReady().then(() => refuse(error))
    return
  }
  if (profile === null) return app.quit()
  const opened = profile
  // start.mjs closes the channel to stop the console, and also when it ends.
  process.on('disconnect', () => app.quit())
  const toOpen = collectOpened(app)
  void app
    .whenReady()
    .then(() => startConsole(opened, toOpen))
    .catch(refuse)
}

start()
