import type { WebFrameMain } from 'electron'

/** True only for the main frame of the console's page. */
export function isTrustedFrame(frame: Pick<WebFrameMain, 'parent' | 'origin'>): boolean {
  return frame.parent === null && frame.origin === 'app://console'
}
