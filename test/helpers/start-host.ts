import { onTestFinished } from 'vitest'
import { type HostProcess, spawnHost } from './host-process.ts'

/** `spawnHost` for a vitest test: what still runs at the end of the test is killed, also when the test failed. */
export function startHost(options: Parameters<typeof spawnHost>[0]): HostProcess {
  const host = spawnHost(options)
  onTestFinished(() => host.kill('SIGKILL'))
  return host
}
