import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { LoadOrder, ServerReady } from './messages.ts'

/** True if processes can be pinned to cores. */
export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0

/** One process of the benchmark. */
export interface Child {
  process: ChildProcess
  send(message: LoadOrder | 'cpu' | 'settle' | 'stop'): void
  /** The next message of a kind; rejects when the process ends first. */
  reply<T extends { kind: string }>(kind: T['kind']): Promise<T>
  exited: Promise<void>
}

/** Starts a module of this folder in its own process, pinned to a core if possible. */
export async function start(
  file: string,
  core: number,
  args: string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Child & { port: number }> {
  const child = fork(join(import.meta.dirname, file), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  })
  const waiting = new Map<string, { resolve(message: unknown): void; reject(error: Error): void }>()
  const received = new Map<string, unknown[]>()
  let ended: Error | undefined
  child.on('message', (message: { kind: string }) => {
    const waiter = waiting.get(message.kind)
    waiting.delete(message.kind)
    if (waiter) waiter.resolve(message)
    else received.set(message.kind, [...(received.get(message.kind) ?? []), message])
  })
  const exited = once(child, 'exit').then(([code]) => {
    ended = new Error(`${file} ended early (${String(code)})`)
    for (const { reject } of waiting.values()) reject(ended)
  })
  const reply = <T extends { kind: string }>(kind: T['kind']) =>
    new Promise<T>((resolve, reject) => {
      const message = received.get(kind)?.shift()
      if (message !== undefined) resolve(message as T)
      else if (ended) reject(ended)
      else waiting.set(kind, { resolve: resolve as (message: unknown) => void, reject })
    })
  const pin = () => canPin && spawnSync('taskset', ['-a', '-cp', String(core), String(child.pid)])
  pin()
  const { port } = await reply<ServerReady>('ready')
  // Threads inherit their starter’s core; threads started before the first pinning are moved now.
  pin()
  return { process: child, send: (message) => void child.send(message), reply, exited, port }
}

/** Asks a server and waits for its answer. */
export async function ask<T extends { kind: string }>(
  child: Child,
  question: 'cpu' | 'settle' | 'stop',
  kind: T['kind'],
): Promise<T> {
  const answer = child.reply<T>(kind)
  child.send(question)
  return answer
}

/** Busy time of the whole machine, microseconds. 0 without /proc. */
export function busyUs(): number {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = readFileSync('/proc/stat', 'latin1')
      .split('\n')[0]!
      .split(/\s+/)
      .slice(1)
      .map(Number)
    return (user + nice + system + irq + softirq) * 10_000
  } catch {
    return 0
  }
}

/** Processor time of a process, microseconds. */
export function processUs(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return 0
  }
}
