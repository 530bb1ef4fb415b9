import type { Clock } from '../../lib/clock.ts'

/** Time for the first frame of a loaded page. None on Linux: on Wayland a hidden window may never draw one (electron#48859). */
const firstFrameMs = 1_500
/** Even an empty window is better than none. */
const latestMs = 15_000

/** A hidden window's events, as Electron's `BrowserWindow` has them. */
interface HiddenWindow {
  once(event: 'ready-to-show' | 'closed', listener: () => void): unknown
  webContents: {
    once(event: 'did-finish-load' | 'render-process-gone', listener: () => void): unknown
    on(event: 'did-fail-load', listener: (...details: [...FailedLoad, ...unknown[]]) => void): unknown
  }
}
type FailedLoad = [event: unknown, code: number, description: string, url: string, isMainFrame: boolean]

/**
 * Calls `show` once: when the window is ready, or when waiting for that makes no sense: its page loaded a moment ago, failed or
 * crashed, or 15 s passed.
 */
export function revealWhenReady(
  window: HiddenWindow,
  { platform, clock, show }: { platform: NodeJS.Platform; clock: Clock; show: () => void },
): void {
  const cancels = [clock.after(latestMs, reveal)]
  let isDone = false
  function end(): void {
    isDone = true
    for (const cancel of cancels) cancel()
  }
  function reveal(): void {
    if (isDone) return
    end()
    show()
  }
  window.once('ready-to-show', reveal)
  window.once('closed', end)
  window.webContents.once('did-finish-load', () => {
    if (platform === 'linux') reveal()
    else if (!isDone) cancels.push(clock.after(firstFrameMs, reveal))
  })
  window.webContents.on('did-fail-load', (_event, _code, _description, _url, isMainFrame) => {
    if (isMainFrame) reveal()
  })
  window.webContents.once('render-process-gone', reveal)
}
