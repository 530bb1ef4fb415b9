import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
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

/** Fetches page after page, and looks at nothing. */
async function readBare(): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (let page = 0; ; page++) {
    const request = get(`http://127.0.0.1:${port}/${page}`, { agent })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await once(response.resume(), 'end')
    if (response.statusCode !== 200) return agent.destroy()
  }
}

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
