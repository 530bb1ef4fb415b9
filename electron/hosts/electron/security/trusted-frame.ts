import type { WebFrameMain } from 'electron'

/** True for the main frame of the console's own page, and nothing else. */
export function isTrustedFrame(frame: Pick<WebFrameMain, 'parent' | 'origin'>): boolean {
  return frame.parent === null && frame.origin === 'app://console'
}
