import { englishText } from '#electron/contract/phrases.ts'
import { startListenerThread } from '../../helpers/listener-thread.ts'
import { secret, serveParent } from '../listener/messages.ts'

/**
 * `node feed-reader.ts PORT COUNT TOKEN JOURNAL`: reads COUNT stored deliveries when asked, in the console's listener
 * thread, which checks each signature and stores in its journal before it acknowledges.
 */
const [port, count, token, journalFile] = process.argv.slice(2) as [string, string, string, string]
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

serveParent(
  0,
  () => Promise.resolve(null),
  async () => {
    const caughtUp = new Promise<void>((resolve) => (done = resolve))
    await listener.setRelay({ url: `http://127.0.0.1:${port}`, inbox: 'main', token })
    await caughtUp
  },
)
