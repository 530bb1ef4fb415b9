import { spawnSync } from 'child_process'
import { readFileSync } from 'fs'

const watchMs = 1000

/** Ends this process like SIGTERM does when its starter (the other runtime or npm) ends. */
export function endWithParent() {
  let timer = null
  const end = () => {
    clearInterval(timer)
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(1)
  }
  if (process.connected) {
    process.once('disconnect', end)
    // Otherwise the listener would keep this process alive.
    process.channel.unref()
  }
  // A shell may end before its background jobs; npm never does.
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const starters = [parent].concat(npmBehind(parent))
  timer = setInterval(() => {
    if (process.ppid !== parent || !starters.every(isAlive)) end()
  }, watchMs)
  timer.unref()
}

/** npm's process behind a shell, which outlives a killed npm. Unknown on Windows. */
function npmBehind(parent) {
  const [name, starter] = describe(parent)
  return /^(ba|da|a|z)?sh$/.test(name) ? [Number(starter)] : []
}

/** Name and parent of a process, or nothing. */
function describe(pid) {
  try {
    return /\((.*)\) \S (\d+)/.exec(readFileSync('/proc/' + pid + '/stat', 'utf8')).slice(1)
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' })
    const [starter, name] = (stdout || '').trim().split(/\s+/)
    return starter ? [name.split('/').pop(), starter] : []
  }
}

/** For Windows, where a process keeps the id of an ended parent. */
function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
