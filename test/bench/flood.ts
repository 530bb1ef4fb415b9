import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchResult } from './bench-result.ts'
import { median, percentile } from './figures.ts'
import { openLoad } from './listener/open-load.ts'
import { type Child, start } from './listener/processes.ts'

/** Valid deliveries during 2,000 half-open requests that reconnect when dropped, and the same deliveries alone before. */
const perSecond = 100
const count = 2_000

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-flood-'))
  const children: Child[] = []
  try {
    const listener = await start('listener-host.ts', 0, [join(folder, 'data', 'journal.db')])
    children.push(listener)
    const order = { port: listener.port, connections: 8, count, perSecond }
    const calm = await openLoad(order)
    children.push(await start('half-open.ts', 1, [String(listener.port)]))
    const beside = await openLoad(order)
    const line = (name: string, { tookMs, wrong }: typeof calm) =>
      `${name}: median ${median(tookMs).toFixed(1)} ms, p99 ${percentile(tookMs, 0.99).toFixed(1)} ms, ${wrong} of ${count} not acknowledged`
    return {
      name: 'Valid deliveries during 2,000 half-open requests',
      lines: [line('alone', calm), line('beside them', beside)],
      targets: [
        { name: 'not acknowledged', value: beside.wrong, bound: { below: 1 } },
        { name: 'p99, ms', value: percentile(beside.tookMs, 0.99), bound: { below: 100 } },
      ],
    }
  } finally {
    for (const { process } of children) process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}
