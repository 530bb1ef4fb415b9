import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { systemClock } from '#electron/lib/clock.ts'
import { createLog } from '#electron/lib/log.ts'
import { openJournalReader } from '#electron/listener/journal-reader.ts'
import { readConfig } from '#electron/relay/config.ts'
import { startRelay } from '#electron/relay/relay.ts'
import { secret, serveParent } from '../listener/messages.ts'

/** `node relay-host.ts FOLDER [URL,URL,…]`: a relay as `main.ts` starts it, without its limit per second. With URLs, NATS stores. */
const [folder, url] = process.argv.slice(2) as [string, string | undefined]
const file = join(folder, 'relay.json')
const inbox = { name: 'main', path: '/webhooks', secrets: [{ env: 'SECRET' }], perSecond: 100_000 }
const place = url === undefined ? { dataDir: folder } : { store: { url } }
writeFileSync(file, JSON.stringify({ ...place, port: 0, inboxes: [inbox] }), { mode: 0o600 })
const log = createLog(({ level, message, data }) => {
  if (level === 'error') console.error(message, data)
}, 'relay')
const relay = await startRelay(readConfig({ config: file }, { SECRET: secret }), { clock: systemClock, log })

/** How many deliveries are in the store. */
async function count(): Promise<number> {
  if (url !== undefined) {
    const connection = await connect({ servers: url.split(',') })
    const manager = await jetstreamManager(connection)
    const { messages } = (await manager.streams.info('switchboard-inbox-main')).state
    await connection.close()
    return messages
  }
  const reader = openJournalReader(join(folder, 'inboxes', 'main', 'journal.db'))
  const stored = reader.lastSeq()
  reader.close()
  return stored
}

serveParent(relay.port, async () => {
  await relay.stop()
  return count()
})
