import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runChild } from './child.mjs'

/** A download stops after this long without data; a slow one continues. */
const stallMs = 30_000

/** Why there can't be a desktop window, as the end of a sentence, or null. */
export function whyNoDesktop({ platform, env, uid }) {
  if (platform !== 'linux') return null
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display'
  // Chromium refuses its sandbox for root, and we don't run without it.
  if (uid === 0) return 'Electron does not run as root with its sandbox on'
  return null
}

/** Electron's binary, or null. */
export function findElectron(root, env = process.env) {
  const folder = join(root, 'node_modules', 'electron')
  if (!existsSync(join(folder, 'path.txt'))) return null
  const binary = join(
    env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, 'dist'),
    readFileSync(join(folder, 'path.txt'), 'utf8'),
  )
  return existsSync(binary) ? binary : null
}

/**
 * Downloads Electron through the environment's proxy, with progress. Resolves with why it failed, as the end
 * of a sentence, or null, and `asked` when a signal ended it.
 */
export async function downloadElectron(root, env = process.env, limitMs = stallMs) {
  if (!existsSync(join(root, 'node_modules', 'electron', 'install.js'))) {
    return { why: 'Electron is not installed', asked: false }
  }
  process.stderr.write('Downloading Electron, once.\n')
  let reason = 'it could not be unpacked'
  const end = await runChild(
    process.execPath,
    [fileURLToPath(new URL('fetch-electron.mjs', import.meta.url)), root, String(limitMs)],
    { linked: true, env: withProxy(env), onMessage: (text) => (reason = text) },
  )
  const isDone = end.code === 0 && findElectron(root, env) !== null
  return { why: isDone ? null : `Electron could not be downloaded (${reason})`, asked: end.asked }
}

/** Electron's downloader needs this variable to use a proxy. */
function withProxy(env) {
  const hasProxy = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some((name) => env[name])
  return hasProxy ? { ...env, ELECTRON_GET_USE_PROXY: 'true' } : env
}
