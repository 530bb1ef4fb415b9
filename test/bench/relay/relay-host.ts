import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '#electron/lib/clock.ts'
import { createLog } from '#electron/lib/log.ts'
import { openJournalReader } from '#electron/listener/journal.ts'
import { readConfig } from '#electron/relay/config.ts'
import { startRelay } from '#electron/relay/relay.ts'
import { secret, serveParent } from '../listener/messages.ts'

/** `node relay-host.ts DATA-FOLDER`: a relay as `main.ts` starts it, without its limit per second. */
const dataDir = process.argv[2]!
const file = join(dataDir, 'relay.json')
const inbox = { name: 'main', path: '/webhooks', secrets: [{ env: 'SECRET' }], perSecond: 100_000 }
writeFileSync(file, JSON.stringify({ dataDir, port: 0, inboxes: [inbox] }), { mode: 0o600 })
const log = createLog(({ level, message, data }) => {
  if (level === 'error') console.error(message, data)
}, 'relay')
const relay = await startRelay(readConfig({ config: file }, { SECRET: secret }), { clock: systemClock, log })

serveParent(relay.port, async () => {
  await relay.stop()
  const reader = openJournalReader(join(dataDir, 'inboxes', 'main', 'journal.db'))
  const stored = reader.lastSeq()
  reader.close()
  return stored
})
