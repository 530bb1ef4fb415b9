import { Notification } from 'electron'
import { AppError } from '../../contract/errors.ts'
import type { Ports } from '../../core/ports.ts'

/** Notifications that can still be clicked; the oldest is let go beyond. */
const mostShown = 50

/**
 * Shows notifications on the desktop, for a host that can (`notify.native`). Rejects with UNSUPPORTED when the desktop refuses one.
 * `onClick` gets the key of a notification that the operator clicked.
 */
export function createNotifier(onClick: (key: string) => void): Ports['notify'] {
  // One that is collected takes its click with it: Electron keeps no reference.
  const shown = new Set<Notification>()

  return ({ key, title, body }) =>
    new Promise((resolve, reject) => {
      const notification = new Notification({ title, body })
      shown.add(notification)
      const [oldest] = shown
      if (shown.size > mostShown) shown.delete(oldest!)
      notification.once('show', () => resolve())
      notification.once('failed', () => {
        shown.delete(notification)
        reject(new AppError('UNSUPPORTED', { capability: 'desktop notifications' }))
      })
      notification.on('click', () => onClick(key))
      notification.show()
    })
}
