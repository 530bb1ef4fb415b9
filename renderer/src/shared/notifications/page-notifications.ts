import type { Note } from '#contract/platform/notifications.ts'
import { noteText } from './note-text.ts'

/** Whether this browser lets the page show notifications. `unsupported` where it has none. */
export type PagePermission = 'granted' | 'denied' | 'default' | 'unsupported'

/** The browser's notifications, as far as there are any. */
export interface PageNotifications {
  permission(): PagePermission
  /** Asks the operator; only ever after a click of theirs. */
  ask(): Promise<PagePermission>
  /** Shows one. False where the browser does not. */
  show(note: Note): boolean
}

/** Those of the window the page is in. */
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
        // The browser shows one for notes of the same tag, however many tabs are open.
        new api(title, { body, tag: note.key })
        return true
      } catch {
        // Some browsers have the word and let only a service worker use it.
        return false
      }
    },
  }
}
