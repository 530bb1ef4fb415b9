import { expect, test } from 'vitest'
import type { OutboxItem } from '#contract/people/outbox.ts'
import { isAppError } from '#contract/errors.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { drawFate, type Fate } from '../../../../helpers/contact-service.ts'
import { type OutboxUnderTest, startOutbox } from './outbox-fixture.ts'
import { phoneOf } from './outbox-items.ts'

/** Random sequences by seed; see test/README.md for running more. */
const sequences = Number(process.env['SWITCHBOARD_OUTBOX_SEQUENCES'] ?? 1)
const firstSeed = Number(process.env['SWITCHBOARD_OUTBOX_SEED'] ?? 1)
const steps = 40
const settleMs = 60_000

/** Faults of the service and their share of the requests. */
const moods: Record<string, [share: number, fate: Fate][]> = {
  kind: [],
  hostile: [
    [0.1, 'limited'],
    [0.1, 'failed-after'],
    [0.05, 'failed-before'],
    [0.05, 'reset-after'],
    [0.05, 'reset-before'],
    [0.05, 'other-record'],
  ],
  refusing: [[0.4, 'rejected']],
  forbidding: [[1, 'forbidden']],
  page: [[0.3, 'page']],
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const isOpen = ({ state }: OutboxItem) => ['undoable', 'queued', 'blocked', 'in-flight'].includes(state)
/** Errors in the contract for acting at the wrong moment. */
const expectedRefusals = ['CONTACT_BUSY', 'NOT_FOUND', 'OUTBOX_TOO_LATE']

test.each(Array.from({ length: sequences }, (_, n) => firstSeed + n))(
  'keeps service and outbox equal without duplicates through any sequence (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
    let under = await startOutbox()
    const { service } = under
    let isOffline = false
    let numbers = 0
    let undoable: string | null = null
    const done: string[] = []

    function become(mood: string): void {
      service.fate = ({ method }) => {
        const fate = drawFate(random(), moods[mood]!)
        return method === 'DELETE' && fate === 'other-record' ? 'done' : fate
      }
    }

    const contacts = async () =>
      (
        await under.rpc.contacts.list({
          filter: {},
          sort: { by: 'created', descending: false },
          limit: 500,
        })
      ).items
    const some = async (most: number) => {
      const all = await contacts()
      const from = Math.floor(random() * all.length)
      return all.slice(from, from + 1 + Math.floor(random() * most)).map(({ id }) => id)
    }

    /** A person checks the service and resolves each request truthfully. */
    async function settleDoubts({ rpc, items }: OutboxUnderTest): Promise<void> {
      for (const { id, operation, phone, serviceId } of await items({ states: ['unknown'] })) {
        const there = [...service.living].find(([, record]) => record.phone === phone)
        const notDone = { how: random() < 0.5 ? ('send-again' as const) : ('discard' as const) }
        const isDeleted = operation === 'delete-contact' && !service.living.has(serviceId!)
        await rpc.outbox.resolve({
          selection: { ids: [id] },
          ...(isDeleted
            ? { how: 'mark-done' as const }
            : there && operation === 'create-contact'
              ? { how: 'mark-done' as const, serviceId: there[0] }
              : notDone),
        })
      }
    }

    const actions: Record<string, () => Promise<unknown>> = {
      async add() {
        const count = 1 + Math.floor(random() * 4)
        await under.add(count, numbers)
        numbers += count
      },
      push: async () => {
        const ids = await some(6)
        if (ids.length > 0) await under.push(ids)
      },
      pushAll: () =>
        under.rpc.contacts.push({ selection: { filter: {}, exceptIds: [] }, uncheckedKnowingly: true }),
      async edit() {
        const contact = pick(await contacts())
        if (!contact) return
        const phone = random() < 0.5 ? contact.phone : phoneOf(numbers++)
        const draft = { name: `Changed ${done.length}`, phone, email: '', tags: {} }
        await under.rpc.contacts.update({ id: contact.id, draft })
      },
      async delete() {
        const ids = await some(3)
        if (ids.length > 0) undoable = (await under.rpc.contacts.delete({ selection: { ids } })).batchId
      },
      undo: async () => undoable !== null && under.rpc.outbox.undo({ batchId: undoable }),
      skip: () => Promise.resolve(under.skip(20_000)),
      async cancel() {
        const item = pick((await under.items()).filter(isOpen))
        if (item) await under.rpc.outbox.cancel({ selection: { ids: [item.id] } })
      },
      cancelAll: () => under.rpc.outbox.cancel({ selection: { filter: { states: ['queued'] } } }),
      pause: () => under.rpc.outbox.pause(),
      resume: () => under.rpc.outbox.resume(),
      retry: () => under.rpc.outbox.retryRejected({ selection: { filter: {} } }),
      doubts: () => settleDoubts(under),
      mood: () => Promise.resolve(become(pick(Object.keys(moods))!)),
      async network() {
        isOffline = !isOffline
        await (isOffline ? service.goOffline() : service.goOnline())
      },
      async restart() {
        under = await under.restart()
      },
    }
    const often = ['add', 'push', 'push', 'pushAll', 'edit', 'edit', 'delete', 'mood', 'resume']

    service.latencyMs = () => Math.floor(random() * 6)
    for (let step = 0; step < steps; step++) {
      const name = pick(random() < 0.6 ? often : Object.keys(actions))!
      done.push(name)
      await actions[name]!().catch((error: unknown) => {
        const code = isAppError(error) ? error.code : (error as { code?: string }).code
        if (!expectedRefusals.includes(code ?? '')) throw new Error(done.join(' '), { cause: error })
      })
      await sleep(random() * 40)
    }

    become('kind')
    if (isOffline) await service.goOnline()
    const untilMs = Date.now() + settleMs
    for (let quiet = 0; quiet < 3;) {
      const { counts, state } = await under.until(() => true)
      under.skip(20_000)
      if (state === 'paused' || state === 'stopped') await under.rpc.outbox.resume()
      await settleDoubts(under)
      await sleep(50)
      const open = counts.queued + counts.blocked + counts.undoable + counts['in-flight'] + counts.unknown
      quiet = open === 0 ? quiet + 1 : 0
      if (Date.now() > untilMs) throw new Error(`not settled: ${JSON.stringify(counts)}: ${done.join(' ')}`)
    }

    const all = await under.items()
    const idsOf = (operation: OutboxItem['operation'], is: (item: OutboxItem) => boolean) =>
      new Set(all.filter((item) => item.operation === operation && is(item)).map((item) => item.serviceId))
    const made = idsOf('create-contact', ({ state }) => state === 'done')
    const gone = idsOf('delete-contact', ({ state }) => state === 'done')
    const living = [...service.living.keys()].sort()
    const story = done.join(' ')
    expect(service.doubled, story).toEqual([])
    expect([...made].filter((id) => !gone.has(id)).sort(), story).toEqual(living)

    // Contacts agree: each record is named once, except where an operator cancelled its deletion.
    const keptOnPurpose = idsOf(
      'delete-contact',
      ({ contactId, state }) => contactId === null && state !== 'done',
    )
    // Contacts are updated a moment after the outbox.
    const settled = ['local', 'service', 'failed', 'discarded']
    await expect
      .poll(
        async () => {
          const stored = await under.contacts()
          const named = stored.flatMap(({ serviceId }) => serviceId ?? [])
          return {
            notNamed: living.filter((id) => !named.includes(id) && !keptOnPurpose.has(id)),
            unsettled: stored.filter(({ state }) => !settled.includes(state)),
          }
        },
        { message: story, timeout: 10_000 },
      )
      .toEqual({ notNamed: [], unsettled: [] })
    const stored = await under.contacts()
    const named = stored.flatMap(({ serviceId }) => serviceId ?? [])
    expect(new Set(named).size, story).toBe(named.length)
    expect(
      stored.filter(({ state, serviceId }) => state === 'service' && !service.living.has(serviceId ?? '')),
      story,
    ).toEqual([])
  },
  settleMs * 2,
)
