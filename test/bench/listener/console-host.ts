import { setTimeout } from 'node:timers/promises'
import { startListenerThread } from '../../helpers/listener-thread.ts'
import { openEvents } from '../../helpers/open-events.ts'
import { secret, serveParent } from './messages.ts'

/** The product’s listener thread, and the projector that turns deliveries into events. */
const journalFile = process.argv[2]!
let notify = (_lastSeq: number) => {}
const listener = await startListenerThread({
  journalFile,
  secret,
  hears: {
    journalGrew: (lastSeq) => notify(lastSeq),
    log: (_level, message, data) => console.error(message, data),
  },
})
const { feature, reader, db } = openEvents(journalFile)
notify = feature.projector.notify

/** Does not speed the projector up, as `caughtUp` would. */
async function settle(): Promise<void> {
  while (feature.projector.state().watermark < reader.lastSeq()) await setTimeout(5)
}

async function stop(): Promise<number> {
  await listener.stop()
  await feature.projector.caughtUp()
  return db.prepare<[], number>('SELECT coalesce(sum(copies), 0) FROM events').pluck().get()!
}

serveParent(listener.port, stop, settle)
