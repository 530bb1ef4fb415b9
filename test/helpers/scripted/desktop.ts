import type { DesktopRequest, DesktopState } from '#contract/connection/desktop.ts'
import type { Script } from './script.ts'
import { createBroadcast } from './broadcast.ts'

/** A scripted desktop host that can send requests to the page. */
export function scriptedDesktop() {
  const requests = createBroadcast<DesktopRequest[]>([])
  const state = createBroadcast<DesktopState>({
    theme: 'system',
    language: 'en',
    closeToTray: false,
    sending: 'on',
    troubled: [],
    work: { tasks: 0, requests: 0 },
  })
  const done = (id: string) => requests.set(requests.value().filter((request) => request.id !== id))
  const answers: Script['desktop'] = {
    requests: async function* (_input, signal) {
      for await (const value of requests.watch(signal)) yield { requests: value }
    },
    done: ({ id }) => done(id),
    takeFile: ({ id }) => {
      const request = requests.value().find((each) => each.id === id)
      done(id)
      return {
        fileId: '00000000-0000-4000-8000-00000000000f',
        fileName: request?.kind === 'import' ? request.fileName : 'contacts.csv',
      }
    },
    getSettings: () => ({ closeToTray: false }),
    setSettings: (next) => next,
    state: (_input, signal) => state.watch(signal),
  }
  return { answers, ask: (request: DesktopRequest) => requests.set([...requests.value(), request]) }
}
