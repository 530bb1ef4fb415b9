import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

/** Where Electron's package takes its binary from when nothing else is set. */
const downloadHost = { host: 'github.com', port: 443 }
/** How long that host may take to answer before we count as offline, and the whole download, milliseconds. */
const probeMs = 3_000
const downloadMs = 300_000
/** With one of these the download goes elsewhere, and a probe of its usual host would tell nothing. */
const detours = [
  'ELECTRON_MIRROR',
  'npm_config_electron_mirror',
  'HTTPS_PROXY',
  'https_proxy',
  'ELECTRON_GET_USE_PROXY',
]

/** Why the desktop window is out of the question on this machine, as the end of a sentence, or null. */
export function whyNoDesktop({ platform, env, uid }) {
  if (platform !== 'linux') return null
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display'
  // Chromium refuses its own sandbox for root, and a console without it is not offered.
  if (uid === 0) return 'Electron does not run as root with its sandbox on'
  return null
}

/** Electron's binary, or null when it is not there. */
export function findElectron(root, env = process.env) {
  const folder = join(root, 'node_modules', 'electron')
  if (!existsSync(join(folder, 'path.txt'))) return null
  const binary = join(
    env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, 'dist'),
    readFileSync(join(folder, 'path.txt'), 'utf8'),
  )
  return existsSync(binary) ? binary : null
}

/** Fetches the binary with the package's own installer. Resolves with why it did not work, or null. */
export async function downloadElectron(root, env = process.env) {
  const installer = join(root, 'node_modules', 'electron', 'install.js')
  if (!existsSync(installer)) return 'Electron is not installed'
  if (!detours.some((name) => env[name]) && !(await canReach(downloadHost))) {
    return "Electron's binary is not there and cannot be downloaded now"
  }
  process.stderr.write('Fetching Electron, about 110 MB, once.\n')
  const isDone = await new Promise((resolve) => {
    const child = spawn(process.execPath, [installer], { stdio: 'ignore', env })
    const timer = setTimeout(() => child.kill('SIGKILL'), downloadMs)
    const finish = (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    }
    child.once('error', () => finish(1))
    child.once('exit', finish)
  })
  return isDone && findElectron(root, env) ? null : "Electron's binary could not be downloaded"
}

function canReach(address) {
  return new Promise((resolve) => {
    const socket = connect(address)
    const finish = (isThere) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(probeMs, () => finish(false))
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}
