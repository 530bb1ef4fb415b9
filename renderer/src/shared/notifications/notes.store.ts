import type { Note } from '#contract/platform/notifications.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { noteText } from './note-text.ts'

/** Whether this browser lets the page show notifications; `unsupported` if it can’t. */
type PagePermission = 'granted' | 'denied' | 'default' | 'unsupported'

/** The browser’s notifications, if available. */
function createPageNotifications() {
  const api = 'Notification' in globalThis ? globalThis.Notification : null
  const permission = (): PagePermission => api?.permission ?? 'unsupported'
  return {
    permission,
    /** Asks the operator, only after a click. */
    async ask() {
      await api?.requestPermission()
      return permission()
    },
    /** Shows one. False if the browser doesn’t. */
    show(note: Note): boolean {
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

/** Older notifications are listed, not raised. Milliseconds. */
const newsMs = 30_000

/** Notifications that the host could not show: raised by the browser where allowed, else listed. */
export const useNotesStore = defineStore('notes', () => {
  const rpc = useRpc()
  const browser = createPageNotifications()
  const notes = shallowRef<readonly Note[]>([])
  const raised = new Set<number>()

  function take(next: readonly Note[]): void {
    const isNews = ({ at }: Note) => Date.now() - Date.parse(at) < newsMs
    const shown = next.filter((note) => !raised.has(note.seq) && isNews(note) && browser.show(note))
    for (const { seq } of shown) {
      raised.add(seq)
      void dismiss(seq)
    }
    notes.value = next.filter(({ seq }) => !raised.has(seq))
  }

  function start(): () => void {
    const stop = rpc.subscribe((client, signal) => client.notifications.watch(undefined, { signal }), {
      onItem: (next) => take(next.notes),
      // The shell already says that the window is disconnected.
      onLost: () => {},
      whileHidden: true,
    })
    return () => {
      stop()
      notes.value = []
    }
  }

  /** Dismisses one notification, or all. */
  async function dismiss(seq?: number): Promise<void> {
    await attempt(rpc.client.notifications.dismiss({ seq }))
  }

  return { notes, browser, start, dismiss }
})
