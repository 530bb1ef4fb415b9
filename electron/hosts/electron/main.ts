import { app } from 'electron'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockProfile } from '../../database/instance-lock.ts'
import { exitCodes, ignoreDebugSignal, UsageError } from '../../lib/command-line.ts'
import { defaultDataDir, prepareDataDir } from '../profile.ts'
import { readDesktopSettings } from '../settings.ts'
import { startText } from '../texts.ts'
import { withdrawSecrets } from '../withdrawn-secrets.ts'
import { type OpenedProfile, startConsole } from './console.ts'
import { collectOpened, ownArguments } from './opened.ts'
import { declareScheme } from './protocol.ts'
import { refuse } from './refusal.ts'
import { ownAppImage } from './relaunch.ts'
import { forbiddenSwitch, forbidNavigation, noSandbox } from './security/app.ts'

// Electron is ready only after this module has been evaluated, so nothing here may await it (its ESM guide).
process.umask(0o077)
ignoreDebugSignal()
app.enableSandbox()
app.setAppUserModelId('app.switchboard.console')
declareScheme()
forbidNavigation(app)

/**
 * Takes the profile for this process. Chromium's files go below it, so Electron's instance lock is one per
 * profile; SQLite's lock also keeps the browser host out. Null when a running window of this profile was
 * shown instead. Throws errors of settings, data folder and lock.
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
  const forbidden = app.isPackaged ? forbiddenSwitch(app, process.argv) : null
  if (forbidden !== null) {
    const isAppImage = ownAppImage(process.env, process.execPath) !== null
    const sentence = startText(isAppImage ? 'forbiddenAppImage' : 'forbidden', { flag: forbidden })
    // An AppImage adds it where the system denies the sandbox, so a terminal may not exist. The .deb's AppArmor profile allows it.
    if (forbidden === noSandbox) return void app.whenReady().then(() => refuse(new UsageError(sentence)))
    process.stderr.write(`${sentence}\n`)
    return app.exit(exitCodes.usage)
  }
  let profile: OpenedProfile | null
  try {
    profile = openProfile()
  } catch (error) {
    // A dialog needs the app to be ready.
    void app.whenReady().then(() => refuse(error))
    return
  }
  if (profile === null) return app.quit()
  const opened = profile
  // start.mjs closes the channel to stop the console, and when it ends itself.
  process.on('disconnect', () => app.quit())
  const toOpen = collectOpened(app)
  void app
    .whenReady()
    .then(() => startConsole(opened, toOpen))
    .catch(refuse)
}

start()
