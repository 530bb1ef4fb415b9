import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runChild } from './child.mjs'

/** Electron exits with this code to restart with this process's environment, which still has the secrets. */
export const restartCode = 75
/** Electron sends this before it ends itself by force because a thread is stuck. */
const restartMessage = 'restart'

/** Windows codes for programs that could not load (ntstatus.h). */
const windowsCodes = {
  0xc0000135: 'a system library is missing',
  0xc0000139: 'a system library is too old',
  0xc000007b: 'a system library is for another processor',
}

/**
 * Runs the console in Electron, again after each restart it requests. Resolves with its `end` and `why` it
 * could not start, as the end of a sentence.
 */
export async function runElectron(binary, args, env) {
  for (;;) {
    const startedMs = Date.now()
    let end
    let isStuck = false
    try {
      const onMessage = (message) => (isStuck ||= message === restartMessage)
      end = await runChild(binary, args, { linked: true, env: cleanEnvironment(env), onMessage })
    } catch (error) {
      return { end: null, why: `Electron could not start (${error.code})` }
    }
    if (isFailedStart(end, Date.now() - startedMs)) {
      return { end, why: `Electron could not start (${endText(end)})` }
    }
    if ((end.code !== restartCode && !isStuck) || end.asked) return { end, why: null }
    if (isStuck) env = { ...env, SWITCHBOARD_STALLED_MS: String(Date.now()) }
  }
}

/** May be inherited from a terminal: Electron as Node, and another `npm run dev`'s page. */
const foreign = ['ELECTRON_RUN_AS_NODE', 'ELECTRON_RENDERER_URL']

export function cleanEnvironment(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.includes(name.toUpperCase())))
}

/** True when Electron can't run here; false when the operator closed it. */
export function isFailedStart({ code, signal, asked }, tookMs) {
  if (asked || tookMs > 15_000) return false
  // Missing user namespaces for Chromium's sandbox, or broken graphics drivers.
  if (['SIGTRAP', 'SIGILL', 'SIGABRT', 'SIGSEGV'].includes(signal)) return true
  // 126: wrong processor, 127: missing library. Negative or from 0x80000000: Windows could not load it, or it
  // crashed.
  return code !== null && (code === 126 || code === 127 || code < 0 || code >= 0x8000_0000)
}

function endText({ code, signal }) {
  if (code === null) return signal
  const unsigned = code >>> 0
  if (unsigned < 0x8000_0000) return `exit code ${code}`
  const name = windowsCodes[unsigned]
  return `exit code 0x${unsigned.toString(16).toUpperCase()}${name ? `: ${name}` : ''}`
}

/**
 * Advice when Linux denies Chromium its sandbox; null for other endings. Chromium aborts with SIGTRAP when it
 * finds neither user namespaces nor a setuid `chrome-sandbox`.
 */
export function sandboxRemedy(binary, end, { platform = process.platform, proc = '/proc' } = {}) {
  const helper = join(dirname(binary), 'chrome-sandbox')
  if (platform !== 'linux' || end === null || end.signal !== 'SIGTRAP' || !existsSync(helper)) return null
  const { uid, mode } = statSync(helper)
  if (uid === 0 && (mode & 0o4000) !== 0) return null
  const read = (name) => {
    try {
      return readFileSync(join(proc, 'sys', name), 'utf8').trim()
    } catch {
      return null
    }
  }
  const isAppArmor = read('kernel/apparmor_restrict_unprivileged_userns') === '1'
  const isOff = read('kernel/unprivileged_userns_clone') === '0' || read('user/max_user_namespaces') === '0'
  if (!isAppArmor && !isOff) return null
  return [
    `${isAppArmor ? 'AppArmor' : 'This system'} denies Electron its sandbox. Switchboard does not run without it.`,
    'To allow the sandbox for this copy, run this once and start again:',
    `  sudo chown root:root ${quoted(helper)} && sudo chmod 4755 ${quoted(helper)}`,
    ...(isAppArmor ? ['electron/hosts/README.md has an AppArmor profile that does the same.'] : []),
  ].join('\n')
}

function quoted(path) {
  return `'${path.replaceAll("'", "'\\''")}'`
}
