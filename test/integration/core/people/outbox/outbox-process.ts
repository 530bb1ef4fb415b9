import type { OutboxDrain, OutboxItem } from '#contract/people/outbox.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import { type Rpc, startCore } from '../../../../helpers/start-core.ts'
import { importFile } from '../../../../helpers/contact-files.ts'
import { everyItem, phoneOf } from './outbox-items.ts'

/** Messages to the parent. */
export type FromConsole =
  | { kind: 'drain'; counts: OutboxDrain['counts']; left: number }
  | { kind: 'items'; items: Pick<OutboxItem, 'phone' | 'state' | 'resolution' | 'attempts'>[] }
  | { kind: 'settled'; markedDone: number; sentAgain: number }
  | { kind: 'contacts'; byState: Record<string, number> }

/** Requests of the parent. `settle`: a person has checked which numbers are at the service; answered when nothing is in flight. */
export type ToConsole = { kind: 'items' } | { kind: 'contacts' } | { kind: 'settle'; there: string[] }

/**
 * A console in its own process, to be killed: `node outbox-process.ts <data folder> <base URL> <contacts>`. The first start adds its
 * contacts, every start pushes local ones and resumes.
 */
const [dataDir = '', baseUrl = '', countText = '0'] = process.argv.slice(2)
const total = Number(countText)
const clock = createFastClock(20, { keepDeadlines: true })
const tell = (message: FromConsole) => void process.send?.(message)

async function fillContacts(rpc: Rpc): Promise<void> {
  const rows = Array.from({ length: total }, (_, n) => `Contact ${n},${phoneOf(n)}`)
  await importFile(rpc, 'contacts.csv', ['name,phone', ...rows].join('\n'))
}

async function settle(rpc: Rpc, there: Set<string>): Promise<void> {
  const unknown = await everyItem(rpc, ['unknown'])
  const resolve = async (how: 'mark-done' | 'send-again', items: OutboxItem[]) => {
    if (items.length === 0) return 0
    return (await rpc.outbox.resolve({ selection: { ids: items.map(({ id }) => id) }, how })).resolved
  }
  const markedDone = await resolve(
    'mark-done',
    unknown.filter(({ phone }) => there.has(phone)),
  )
  const sentAgain = await resolve(
    'send-again',
    unknown.filter(({ phone }) => !there.has(phone)),
  )
  for await (const { counts } of await rpc.outbox.watch())
    if (counts.queued + counts.blocked + counts['in-flight'] === 0) break
  tell({ kind: 'settled', markedDone, sentAgain })
}

const { rpc } = await startCore({
  dataDir,
  clock,
  sandbox: { contactsCount: 0, dncCount: 0 },
  config: { startWith: { kind: 'unattended', baseUrl, apiKey: 'key-ana' } },
})

process.on('message', (message: ToConsole) => {
  void (async () => {
    if (message.kind === 'settle') await settle(rpc, new Set(message.there))
    else if (message.kind === 'contacts')
      tell({ kind: 'contacts', byState: (await rpc.contacts.summary()).byState })
    else
      tell({
        kind: 'items',
        items: (await everyItem(rpc)).map(({ phone, state, resolution, attempts }) => ({
          phone,
          state,
          resolution,
          attempts,
        })),
      })
  })()
})

if ((await rpc.contacts.summary()).total === 0) {
  await fillContacts(rpc)
  await rpc.contacts.push({ selection: { filter: {}, exceptIds: [] }, uncheckedKnowingly: true })
}
for await (const { tasks } of await rpc.tasks.watch()) {
  for (const { id, kind, state } of tasks)
    if (kind === 'bulk-push' && state === 'interrupted') await rpc.tasks.resume({ id })
  break
}
for await (const { counts } of await rpc.outbox.watch()) {
  const { byState } = await rpc.contacts.summary()
  tell({ kind: 'drain', counts, left: byState['local'] ?? 0 })
}
