import type { Note } from '#contract/platform/notifications.ts'
import { noteText } from './note-text.ts'

/** Whether this browser lets the page show notifications; `unsupported` if it can’t. */
export type PagePermission = 'granted' | 'denied' | 'default' | 'unsupported'

/** The browser’s notifications, if available. */
export interface PageNotifications {
  permission(): PagePermission
  /** Asks the operator, only after a click. */
  ask(): Promise<PagePermission>
  /** Shows one. False if the browser doesn’t. */
  show(note: Note): boolean
}

/** The notifications of this window. */
export function createPageNotifications(): PageNotifications {
  const api = 'Notification' in globalThis ? globalThis.Notification : null
  const permission = (): PagePermission => api?.permission ?? 'unsupported'
  return {
    permission,
    async ask() {
      await api?.requestPermission()
      return permission()
    },
    show(note) {
      if (api === null || permission() !== 'granted') return false
      const { title, body } = noteText(note)
      try {
        // The browser shows one notification per tag, however many tabs are open.
        new api(title, { body, tag: note.key })
        return true
      } catch {
        // Some browsers have the constructor but allow only a service worker to use it.
        return false
      }
    },
  }
}
