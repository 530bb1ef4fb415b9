import { createOptOutReader } from '#electron/core/people/dnc/possible-opt-outs.ts'
import { dirname, join } from 'node:path'
import { defaultOptOutKeywords } from '#electron/core/people/dnc/opt-out-keywords.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import { createEvents } from './create-events.ts'
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
    journal: reader,
    clock: systemClock,
    log: quietLog,
    optOutSign: createOptOutReader(defaultOptOutKeywords),
    listening: () => 'yes',
  })
  const stop = feature.projector.start()
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
