import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * Where programs keep their stripped and compiled sources, named by content. Loading them dominates a start, again in each thread: 2.1 s of
 * processor time for the host without this cache, measured, and 1.2 s with it.
 */
const compileCache = resolve(import.meta.dirname, '../../node_modules/.cache/test-programs')
/** Time limit of each wait for a process, milliseconds. Two busy cores are slow. */
const patienceMs = 90_000

/** How a process ended. */
export interface HostExit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A program of the project in its own process. */
export interface HostProcess {
  pid: number
  /** Lines of stdout and stderr. */
  lines: string[]
  /** The first line that matches, past or future. Rejects with the whole output when the process ends first. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** The next line that matches. */
  nextLine(pattern: RegExp): Promise<RegExpExecArray>
  exit: Promise<HostExit>
  signal(signal: NodeJS.Signals): void
  /** Writes to standard input, which is closed unless `stdin` is set. */
  type(text: string): void
  /** Sends `signal` and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** SIGTERM; rejects when it does not end with code 0, or leaves a process behind. */
  stop(): Promise<void>
}

/**
 * Starts `file` with this runtime, or `command` unchanged. Unless `env` adds them, the environment has no display and no session bus, so
 * that no browser opens and no developer's keychain is touched.
 */
export function spawnHost(options: {
  file?: string
  command?: string
  args?: string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
  stdin?: boolean
}): HostProcess {
  const env = { ...process.env }
  for (const name of Object.keys(env)) {
    if (
      /^(SWITCHBOARD_|DISPLAY$|WAYLAND_DISPLAY$|DBUS_SESSION_BUS_ADDRESS$|NODE_OPTIONS$|VITEST)/.test(name)
    ) {
      Reflect.deleteProperty(env, name)
    }
  }
  const child = spawn(
    options.command ?? process.execPath,
    [...(options.file === undefined ? [] : [options.file]), ...(options.args ?? [])],
    {
      env: { ...env, NODE_COMPILE_CACHE: compileCache, ...options.env },
      cwd: options.cwd,
      stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    },
  )
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let ended: HostExit | null = null
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)

  for (const stream of [child.stdout!, child.stderr!]) {
    let rest = ''
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop()!
      lines.push(...parts)
      for (const check of waiting) check()
    })
  }
  const exit = new Promise<HostExit>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.off('exit', killAtExit)
      ended = { code, signal }
      resolve(ended)
      for (const check of waiting) check()
    })
  })
  exit.catch(() => {})

  function find(pattern: RegExp, from: number): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        finish()
        reject(new Error(`${why} before a line matched ${String(pattern)}:\n${lines.join('\n')}`))
      }
      const timer = setTimeout(() => fail('Time ran out'), patienceMs)
      const finish = () => {
        clearTimeout(timer)
        waiting.delete(check)
      }
      const check = () => {
        const match = lines
          .slice(from)
          .map((line) => pattern.exec(line))
          .find((found) => found !== null)
        if (match) {
          finish()
          resolve(match)
        } else if (ended) fail(`It ended (${ended.code ?? ended.signal})`)
      }
      waiting.add(check)
      check()
    })
  }

  return {
    pid: child.pid ?? -1,
    lines,
    line: (pattern) => find(pattern, 0),
    nextLine: (pattern) => find(pattern, lines.length),
    exit,
    signal: (signal) => void child.kill(signal),
    type: (text) => void child.stdin!.write(text),
    async kill(signal) {
      child.kill(signal)
      await exit
    },
    async stop() {
      const family = descendantsOf(child.pid ?? -1)
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      const { code, signal } = await exit
      clearTimeout(timer)
      const left = family.filter(isAlive)
      for (const pid of left) process.kill(pid, 'SIGKILL')
      if (code === 0 && left.length === 0) return
      const why = left.length > 0 ? `left ${left.length} process(es) behind` : `ended with ${code ?? signal}`
      throw new Error(`The program ${why}:\n${lines.join('\n')}`)
    },
  }
}

/** Child processes at any depth, from /proc; empty without /proc. */
export function descendantsOf(pid: number): number[] {
  if (process.platform !== 'linux') return []
  const childrenOf = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(Number(name))
    if (parent !== null) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)])
  }
  const found: number[] = []
  const visit = (parent: number) => {
    for (const child of childrenOf.get(parent) ?? []) {
      found.push(child)
      visit(child)
    }
  }
  visit(pid)
  return found
}

/** True for a running process, false for an ended one that was not collected yet. */
export function isAlive(pid: number): boolean {
  try {
    return statOf(pid)[0] !== 'Z'
  } catch {
    return false
  }
}

function parentOf(pid: number): number | null {
  try {
    return Number(statOf(pid)[1])
  } catch {
    return null
  }
}

/** State and parent of a process: in proc(5) `stat` they follow the name, which is in brackets and may contain anything. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
