import { onTestFinished } from 'vitest'
import { type HostProcess, spawnHost } from './host-process.ts'

/** `spawnHost` for a vitest test: kills what still runs when the test ends, also on failure. */
export function startHost(options: Parameters<typeof spawnHost>[0]): HostProcess {
  const host = spawnHost(options)
  onTestFinished(() => host.kill('SIGKILL'))
  return host
}
