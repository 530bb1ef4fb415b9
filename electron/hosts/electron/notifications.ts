import { Notification } from 'electron'
import { AppError } from '../../contract/errors.ts'
import type { Ports } from '../../core/ports.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'

/** Notifications that can still be clicked; beyond this the oldest is dropped. */
const shownMax = 50

/** A desktop that reports neither success nor failure within this time didn't show the notification. */
const showTimeoutMs = 5_000
/** Before the first notification macOS asks the operator. Its question stays for a minute. */
const promptTimeoutMs = 60_000

/**
 * Shows notifications on the desktop, for a host that can (`notify.native`). Rejects with UNSUPPORTED when the desktop refuses one
 * or doesn't answer. `onClick` gets the key of a notification that the operator clicked.
 */
export function createNotifier(
  onClick: (key: string) => void,
  { clock, platform }: { clock: Clock; platform: NodeJS.Platform } = {
    clock: systemClock,
    platform: process.platform,
  },
): Ports['notify'] {
  let mayPrompt = platform === 'darwin'
  // Electron keeps no reference, and a collected notification can't be clicked.
  const shown = new Set<Notification>()

  return ({ key, title, body }) =>
    new Promise((resolve, reject) => {
      const notification = new Notification({ title, body })
      shown.add(notification)
      const [oldest] = shown
      if (shown.size > shownMax) shown.delete(oldest!)
      const answered = () => {
        cancel()
        mayPrompt = false
      }
      const fail = () => {
        answered()
        shown.delete(notification)
        reject(new AppError('UNSUPPORTED', { capability: { key: 'ability.notify' } }))
      }
      const cancel = clock.after(mayPrompt ? promptTimeoutMs : showTimeoutMs, fail)
      notification.once('show', () => {
        answered()
        resolve()
      })
      notification.once('failed', fail)
      notification.on('click', () => onClick(key))
      notification.show()
    })
}
