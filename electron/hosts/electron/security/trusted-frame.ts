import type { WebFrameMain } from 'electron'

/**
 * True for the main frame of the console's own page, and nothing else. `senderFrame` is null when the frame is
 * gone already (Electron docs, `ipc-main-event`).
 */
export function isTrustedFrame(frame: WebFrameMain | null): boolean {
  return frame !== null && frame.parent === null && frame.origin === 'app://console'
}
