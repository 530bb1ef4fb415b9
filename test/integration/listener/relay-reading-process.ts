import { systemClock } from '#electron/lib/clock.ts'
import { createListener } from '#electron/listener/listener.ts'
import { silentEvents } from '#electron/listener/protocol.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { testSecret } from '../../helpers/listener.ts'

/**
 * A console that reads a relay, for tests that kill it: `node relay-reading-process.ts <journal> <url> <token>`. Reports
 * each growth of its journal.
 */
const [journalFile, url, token] = process.argv.slice(2) as [string, string, string]
const listener = createListener({
  clock: systemClock,
  log: quietLog,
  events: { ...silentEvents, journalGrew: (lastSeq) => process.send!(lastSeq) },
})
await listener.start({
  journalFile,
  host: '127.0.0.1',
  port: 0,
  path: '/webhooks',
  allowUnsigned: false,
  noPort: true,
  secrets: [{ id: 'first', label: 'First', value: testSecret }],
  relay: { url, inbox: 'main', token },
})
