import { WebSocket } from 'ws'
import { englishText } from '#electron/contract/phrases.ts'
import { startListenerThread } from '../../helpers/listener-thread.ts'
import { secret, serveParent } from '../listener/messages.ts'

/** `node feed-reader.ts bare|console PORT COUNT TOKEN JOURNAL`: reads COUNT stored deliveries when asked. */
const [kind, port, count, token, journalFile] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]

/** Receives, and looks at nothing. */
const readBare = () =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false })
    socket.on('message', () => {})
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })

/** The console's listener thread: checks each signature and stores in its journal before it acknowledges. */
async function consoleReader(): Promise<() => Promise<void>> {
  let done = () => {}
  const listener = await startListenerThread({
    journalFile,
    secret,
    noPort: true,
    hears: {
      journalGrew: (lastSeq) => lastSeq >= Number(count) && done(),
      relay({ state, detail, refusedSignatures }) {
        if (state === 'refused' || state === 'unreachable' || refusedSignatures > 0)
          throw new Error(`The console can't read the relay (${state}, ${englishText(detail ?? '')})`)
      },
    },
  })
  return async () => {
    const caughtUp = new Promise<void>((resolve) => (done = resolve))
    await listener.setRelay({ url: `http://127.0.0.1:${port}`, inbox: 'main', token })
    await caughtUp
  }
}

serveParent(0, () => Promise.resolve(null), kind === 'bare' ? readBare : await consoleReader())
