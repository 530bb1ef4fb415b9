import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { OutboxDrain, OutboxFilter, OutboxItem } from '#contract/people/outbox.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { type ContactService, startContactService } from '../../../../helpers/contact-service.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import { type Rpc, type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { phoneOf } from './outbox-items.ts'

/** A console signed in to a contact service, and what tests do with it. */
export interface OutboxUnderTest {
  running: RunningCore
  rpc: Rpc
  service: ContactService
  connectionId: string
  /** Adds contacts `from` to `from + count - 1`. Returns their IDs. */
  add(count: number, from?: number): Promise<number[]>
  push(ids: number[]): Promise<string>
  /** Adds contacts and waits until they are on the service. Returns their IDs. */
  pushed(count: number): Promise<number[]>
  /** The first matching state of the drain. */
  until(is: (drain: OutboxDrain) => boolean): Promise<OutboxDrain>
  /** Resolves when nothing is queued, blocked or in flight and the contacts are updated. */
  allOver(): Promise<OutboxDrain>
  /** Oldest first. */
  items(filter?: OutboxFilter): Promise<OutboxItem[]>
  /** State, name and service ID of every contact, by number. */
  contacts(): Promise<{ phone: string; name: string; state: string; serviceId: string | null }[]>
  /** Moves the console's wall clock forward. */
  skip(ms: number): void
  /** Ends the console and starts another on its folder, or on the copy at `dataDir`. */
  restart(dataDir?: string): Promise<OutboxUnderTest>
}

/** Starts a console with a connection named `Test` to its own contact service. */
export async function startOutbox(
  options: {
    credential?: 'api-key' | 'password'
    production?: boolean
    dataDir?: string
    service?: ContactService
  } = {},
): Promise<OutboxUnderTest> {
  const service = options.service ?? (await startContactService())
  let laterMs = 0
  const fast = createFastClock(20, { keepDeadlines: true })
  const clock: Clock = { ...fast, now: () => systemClock.now() + laterMs }
  const { dataDir } = options
  const running = await startCore({ clock, sandbox: null, ...(dataDir === undefined ? {} : { dataDir }) })
  const { connection } = await running.rpc.connections.connect({
    name: 'Test',
    baseUrl: service.baseUrl,
    colour: 'blue',
    production: options.production ?? false,
    credential:
      options.credential === 'password'
        ? { kind: 'password', username: 'ana', password: 'secret' }
        : { kind: 'api-key', apiKey: 'key-ana' },
  })
  let current = running
  onTestFinished(async () => {
    service.release()
    await current.stop()
    await service.stop()
  })
  const testOver = (core: RunningCore): OutboxUnderTest =>
    under(
      core,
      service,
      connection.id,
      (ms) => void (laterMs += ms),
      async (copyOf) => {
        if (copyOf === undefined) await current.stopCore()
        const next = await startCore({
          clock,
          after: copyOf === undefined ? current : { ...current, dataDir: copyOf },
          config: { startWith: { kind: 'last' } },
        })
        const before = current
        current = {
          ...next,
          async stop() {
            if (copyOf !== undefined) await before.stopCore()
            await next.stop()
          },
        }
        return testOver(next)
      },
    )
  return testOver(running)
}

function under(
  running: RunningCore,
  service: ContactService,
  connectionId: string,
  skip: (ms: number) => void,
  restart: OutboxUnderTest['restart'],
): OutboxUnderTest {
  const { rpc } = running
  const until: OutboxUnderTest['until'] = async (is) => {
    for await (const drain of await rpc.outbox.watch()) if (is(drain)) return drain
    throw new Error('the stream of the outbox ended')
  }
  /** Waits until the contacts, which are in another database, show all that the outbox did. */
  async function isApplied(): Promise<void> {
    const file = join(running.dataDir, 'connections', connectionId, 'state.db')
    const state = new Sqlite(file, { readonly: true })
    const left = state.prepare<[], number>('SELECT count(*) FROM outbox WHERE effect = 1').pluck()
    while (left.get()! > 0) await sleep(5)
    state.close()
  }
  const outbox: OutboxUnderTest = {
    running,
    rpc,
    service,
    connectionId,
    skip,
    restart,
    until,
    async add(count, from = 0) {
      const ids: number[] = []
      for (let n = from; n < from + count; n++) {
        const draft = { name: `Contact ${n}`, phone: phoneOf(n), email: '', tags: {} }
        ids.push((await rpc.contacts.create(draft)).contact.id)
      }
      return ids
    },
    push: async (ids) => (await rpc.contacts.push({ selection: { ids }, uncheckedKnowingly: true })).batchId!,
    async pushed(count) {
      const ids = await outbox.add(count)
      await outbox.push(ids)
      await outbox.allOver()
      return ids
    },
    async allOver() {
      const drain = await until(
        ({ counts }) => counts.queued + counts.blocked + counts['in-flight'] + counts.undoable === 0,
      )
      await isApplied()
      return drain
    },
    async items(filter = {}) {
      return (await rpc.outbox.list({ filter, limit: 500 })).items.reverse()
    },
    async contacts() {
      await isApplied()
      const { items } = await rpc.contacts.list({
        filter: {},
        sort: { by: 'phone', descending: false },
        limit: 500,
      })
      return items.map(({ phone, name, state, serviceId }) => ({ phone, name, state, serviceId }))
    },
  }
  return outbox
}
