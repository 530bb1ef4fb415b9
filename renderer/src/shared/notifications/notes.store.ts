import type { Note } from '#contract/notifications.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createPageNotifications } from './page-notifications.ts'

/** A note that is older than this when the page hears of it is listed, not raised: it is no news. Milliseconds. */
const newsMs = 30_000

/** What the host could not show on the desktop: shown by the browser where it was allowed to, else listed in the console. */
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

  /** Reads the notes until the returned stop is called. */
  function start(): () => void {
    const stop = rpc.subscribe((client, signal) => client.notifications.watch(undefined, { signal }), {
      onItem: (next) => take(next.notes),
      // What was told stays; that the console is not heard is said by the shell.
      onLost: () => {},
    })
    return () => {
      stop()
      notes.value = []
    }
  }

  /** Takes one note off, or all. */
  async function dismiss(seq?: number): Promise<void> {
    await attempt(rpc.client.notifications.dismiss(seq === undefined ? {} : { seq }))
  }

  return { notes, browser, start, dismiss }
})
