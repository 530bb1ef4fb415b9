import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** What processes cost over some time. Linux only (`/proc`). */
export interface Cost {
  /** Share of one core, percent. */
  cpuPercent: number
  /** Times per second that a thread slept and was woken. */
  wakeUpsPerSecond: number
  /** Resident memory at the end, MiB. */
  rssMiB: number
}

/** Clock ticks per second of `/proc/…/stat`: 100 on every Linux that Node runs on. */
const ticksPerSecond = 100

/** The value of a line of `/proc/…/status`: `VmRSS`, `voluntary_ctxt_switches`. */
function statusOf(file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'latin1'))?.[1] ?? 0)
}

function usedBy(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
  const wakeUps = readdirSync(`/proc/${pid}/task`).map((task) =>
    statusOf(`/proc/${pid}/task/${task}/status`, 'voluntary_ctxt_switches'),
  )
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    wakeUps: wakeUps.reduce((sum, one) => sum + one, 0),
  }
}

/** Measures processes together, each with all its threads. */
export async function costOf(pids: readonly number[], seconds: number): Promise<Cost> {
  const used = () => pids.map(usedBy)
  const sum = (values: number[]) => values.reduce((total, one) => total + one, 0)
  const before = used()
  const startedMs = performance.now()
  await setTimeout(seconds * 1_000)
  const tookSeconds = (performance.now() - startedMs) / 1_000
  const after = used()
  const grown = (name: 'cpuSeconds' | 'wakeUps') =>
    sum(after.map((one) => one[name])) - sum(before.map((one) => one[name]))
  return {
    cpuPercent: (grown('cpuSeconds') / tookSeconds) * 100,
    wakeUpsPerSecond: grown('wakeUps') / tookSeconds,
    rssMiB: sum(pids.map((pid) => statusOf(`/proc/${pid}/status`, 'VmRSS'))) / 1_024,
  }
}
