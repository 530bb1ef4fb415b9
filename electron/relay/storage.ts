import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockProfile } from '../database/instance-lock.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { RelayConfig } from './config.ts'
import { openFolder } from './documents.ts'
import { highestRead } from './inbox-record.ts'
import { openJournalStore } from './journal-store.ts'
import type { Storage } from './store.ts'

/** A person waits for a command. */
const commandPatienceMs = 5_000

type Place = Pick<RelayConfig, 'dataDir' | 'store'>

/** Throws `UsageError`, `OTHER_INSTANCE` or `STORAGE_*`. */
export async function openStorage(
  { dataDir, store, limits: { bodyBytes } }: Place & Pick<RelayConfig, 'limits'>,
  clock: Clock,
  log: Log,
): Promise<Storage> {
  const lock = dataDir === null ? null : lockProfile(dataDir)
  try {
    const storage = store
      ? // Only relays with this store load its libraries.
        await import('./nats/nats-storage.ts').then(({ openNatsStorage }) =>
          openNatsStorage(store, dataDir, { bodyBytes, patienceMs: Infinity, clock, log }),
        )
      : openFolderStorage(dataDir!, clock, log)
    return {
      ...storage,
      async close() {
        await storage.close()
        lock?.release()
      },
    }
  } catch (error) {
    lock?.release()
    throw error
  }
}

/** The documents alone, beside a running relay. Throws like `openStorage`. */
export async function openDocuments(
  { dataDir, store }: Place,
  clock: Clock,
  log: Log,
): Promise<Pick<Storage, 'documents' | 'close'>> {
  if (!store) return { documents: openFolder(dataDir!), close: () => Promise.resolve() }
  const { openNatsStorage } = await import('./nats/nats-storage.ts')
  return openNatsStorage(store, null, { patienceMs: commandPatienceMs, clock, log })
}

function openFolderStorage(dataDir: string, clock: Clock, log: Log): Storage {
  const documents = openFolder(dataDir)
  return {
    documents,
    async openStore(inbox) {
      const folder = join(dataDir, 'inboxes', inbox)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const continueAfterSeq = (id: string) => highestRead(documents, inbox, id)
      return openJournalStore({ folder, continueAfterSeq, clock, log })
    },
    close: () => Promise.resolve(),
  }
}
