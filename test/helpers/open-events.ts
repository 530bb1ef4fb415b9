import { dirname, join } from 'node:path'
import { createEvents } from '#electron/core/live/events/create-events.ts'
import { defaultStopWords } from '#electron/core/people/dnc/opt-out-keywords.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import { quietLog } from './quiet-log.ts'

/** Projects a journal with the console's own code as it grows, into a `state.db` beside it. */
export function openEvents(journalFile: string) {
  const reader = openJournalReader(journalFile)
  const state = openDatabase({
    file: join(dirname(journalFile), 'state.db'),
    schema: 'state',
    log: quietLog,
    now: Date.now,
  })
  const feature = createEvents({
    stateDb: state.db,
    journalReader: reader,
    clock: systemClock,
    log: quietLog,
    stopWords: () => defaultStopWords,
    recovered: () => null,
    listening: () => 'yes',
  })
  const stop = feature.start()
  return {
    feature,
    reader,
    db: state.db,
    async close() {
      await stop()
      reader.close()
      state.close()
    },
  }
}
