import { openJournalReader } from '#electron/listener/journal-reader.ts'
import { startListenerThread } from '../../helpers/listener-thread.ts'
import { secret, serveParent } from './messages.ts'

/** The product’s listener thread in a process that does nothing else. */
const journalFile = process.argv[2]!
const listener = await startListenerThread({
  journalFile,
  secret,
  hears: { log: (_level, message, data) => console.error(message, data) },
})
serveParent(listener.port, async () => {
  await listener.stop()
  const reader = openJournalReader(journalFile)
  let stored = 0
  let seq = 0
  for (;;) {
    const rows = reader.readAfter(seq, 5_000)
    if (rows.length === 0) return stored
    stored += rows.length
    seq = rows.at(-1)!.seq
  }
})
