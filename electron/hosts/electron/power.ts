import { powerMonitor } from 'electron'
import type { CoreThread } from '../core-client.ts'

/** Tells the core of sleep and wake. `closing.ts` handles the end of the session. */
export function followPower(core: Pick<CoreThread, 'power'>): void {
  powerMonitor.on('suspend', () => core.power('suspend'))
  powerMonitor.on('resume', () => core.power('wake'))
}
