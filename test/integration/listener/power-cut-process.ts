import Sqlite from 'better-sqlite3'
import { systemClock } from '#electron/lib/clock.ts'
import { createListener } from '#electron/listener/listener.ts'
import { silentEvents } from '#electron/listener/protocol.ts'
import { quietLog } from '../../helpers/quiet-log.ts'

/**
 * A listener for `power-cut.test.ts`: `node power-cut-process.ts <journal file> <full | normal>`. With `normal`, SQLite does not sync each
 * commit although the code under test asks for it: the test must then find losses.
 */
const [journalFile = '', synchronous] = process.argv.slice(2)
if (synchronous === 'normal') {
  const pragma = Sqlite.prototype.pragma
  Sqlite.prototype.pragma = function (source, options) {
    if (source === 'synchronous') return 2
    return pragma.call(this, source.replace(/^synchronous = 2$/, 'synchronous = 1'), options) as unknown
  }
}
const listener = createListener({
  clock: systemClock,
  log: quietLog,
  events: silentEvents,
})
process.send!(
  await listener.start({
    journalFile,
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    allowUnsigned: false,
    secrets: [{ id: 'first', label: 'First', value: 'secret of the test' }],
  }),
)
