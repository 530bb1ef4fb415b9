import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { AppError } from '../contract/errors.ts'
import { startText as t } from './texts.ts'

/** The platform's data folder, for both hosts: `XDG_DATA_HOME`, `~/Library/Application Support`, `%LOCALAPPDATA%`. */
export function defaultDataDir(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'Switchboard')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Switchboard')
  const xdg = env['XDG_DATA_HOME']
  // The XDG specification ignores relative paths.
  return join(xdg?.startsWith('/') ? xdg : join(home, '.local', 'share'), 'switchboard')
}

/** An unsuitable data folder. The message is for the operator. */
export class UnsafeDataDirError extends Error {
  override readonly name = 'UnsafeDataDirError'
}

/**
 * Creates the folder if needed, makes it private (0700) and returns its absolute path. Refuses a folder that
 * others can open and that has other files: making it private could break them. Throws `STORAGE_READ_ONLY` or
 * `UnsafeDataDirError`.
 */
export function prepareDataDir(path: string): string {
  const dataDir = resolve(path)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AppError('STORAGE_READ_ONLY', { path: dataDir }, { cause })
  }
  const stat = statSync(dataDir)
  if (!stat.isDirectory()) throw new UnsafeDataDirError(t('dataDir.file', { path: dataDir }))
  if (process.platform === 'win32') return dataDir
  if (stat.uid !== process.getuid!()) {
    throw new UnsafeDataDirError(t('dataDir.otherUser', { path: dataDir }))
  }
  if ((stat.mode & 0o077) === 0) return dataDir
  const names = readdirSync(dataDir)
  if (names.length > 0 && !names.some((name) => name === 'console.db' || name === 'owner.db')) {
    throw new UnsafeDataDirError(t('dataDir.open', { path: dataDir }))
  }
  chmodSync(dataDir, 0o700)
  return dataDir
}

/** The profile's name in the keychain, one per data folder. */
export function keychainService(dataDir: string): string {
  return `switchboard-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
}
