import { expect, onTestFinished, test } from 'vitest'
import type { OutboxDrain } from '#contract/people/outbox.ts'
import { seededRandom } from '#electron/lib/random.ts'
import {
  ambiguousFates,
  drawFate,
  type Fate,
  startContactService,
} from '../../../../helpers/contact-service.ts'
import { everyone, importFile } from '../../../../helpers/contact-files.ts'
import { expectTruth } from '../../../../helpers/hostile-outcomes.ts'
import { startKilledConsole } from '../../../../helpers/killed-console.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { outboxWhere } from '../../../../helpers/wait-for.ts'
import { everyItem, phoneOf } from './outbox-items.ts'

/** `SWITCHBOARD_HOSTILE_CONTACTS=10000` runs it at full size; see test/README.md. */
const total = Number(process.env['SWITCHBOARD_HOSTILE_CONTACTS'] ?? 80)
const seed = Number(process.env['SWITCHBOARD_HOSTILE_SEED'] ?? 1)
const kills = total > 1_000 ? 30 : 2
const timeoutMs = total > 1_000 ? 1_800_000 : 120_000

const hostileShares: [share: number, fate: Fate][] = [
  [0.1, 'limited'],
  [0.1, 'failed-after'],
  [0.025, 'reset-before'],
  [0.025, 'reset-after'],
]

test(
  `pushes ${total} contacts through a hostile service and ${kills} kills: none twice, none lost, every doubt listed`,
  async () => {
    const random = seededRandom(seed)
    const folder = tempFolder()
    const service = await startContactService()
    onTestFinished(() => service.stop())
    service.latencyMs = () => Math.floor(random() * 8)
    let isHostile = true
    service.fate = () => {
      const fate = isHostile ? drawFate(random(), hostileShares) : 'done'
      child.countRequest(() => Math.floor(random() * 6))
      return fate
    }

    const child = startKilledConsole({
      dataDir: folder,
      startWith: { kind: 'unattended', baseUrl: service.baseUrl, apiKey: 'key-ana' },
      clock: 'fast',
    })
    const goOn = async () => {
      for await (const { tasks } of await child.rpc.tasks.watch()) {
        for (const { id, kind, state } of tasks)
          if (kind === 'bulk-push' && state === 'interrupted') await child.rpc.tasks.resume({ id })
        return
      }
    }
    const rows = Array.from({ length: total }, (_, n) => `Contact ${n},${phoneOf(n)}`)
    await importFile(child.rpc, 'contacts.csv', ['name,phone', ...rows].join('\n'))
    for (let killed = 0; killed < kills; killed++) {
      // Divide the requests among the runs, so that every run is killed.
      child.killAfter(Math.floor(((0.3 + 0.5 * random()) * total) / kills))
      await child.untilKilled(
        killed === 0 ? child.rpc.contacts.push({ selection: everyone, uncheckedKnowingly: true }) : goOn(),
      )
      await child.restart()
    }
    await goOn()
    const { rpc } = child
    const isQuiet = ({ counts }: OutboxDrain) => counts.queued + counts.blocked + counts['in-flight'] === 0
    await outboxWhere(
      rpc,
      async (drain) => isQuiet(drain) && !(await rpc.contacts.summary()).byState['local'],
    )
    const items = await everyItem(rpc)
    const inState = (wanted: string) =>
      items.filter(({ state }) => state === wanted).map(({ phone }) => phone)
    const done = new Set(inState('done'))
    const unknown = new Set(inState('unknown'))

    expect(service.doubled, 'nobody is there twice').toEqual([])
    expect(items, 'one item each').toHaveLength(total)
    expect(new Set(items.map(({ phone }) => phone)).size).toBe(total)
    expect(done.size + unknown.size, 'an end for everybody').toBe(total)
    expectTruth(
      { done, unknown },
      service.made,
      service.requests.map(({ phone, fate }) => ({ phone, isUnclear: ambiguousFates.includes(fate) })),
    )

    // A person checks the service and resolves everything; resends meet the same service.
    let resolved = 0
    for (let rounds = 0; ; rounds++) {
      isHostile = rounds < 3
      const there = new Set([...service.living.values()].map(({ phone }) => phone))
      const doubts = await everyItem(rpc, ['unknown'])
      if (doubts.length === 0) break
      for (const [how, isThere] of [
        ['mark-done', true],
        ['send-again', false],
      ] as const) {
        const ids = doubts.filter(({ phone }) => there.has(phone) === isThere).map(({ id }) => id)
        if (ids.length === 0) continue
        const { resolved: count } = await rpc.outbox.resolve({ selection: { ids }, how })
        if (isThere) resolved += count
      }
      await outboxWhere(rpc, isQuiet)
    }
    const settledItems = await everyItem(rpc)
    const byHand = settledItems.filter(({ resolution }) => resolution === 'marked-done').length
    const byAnswer = settledItems.filter(({ state, resolution }) => state === 'done' && resolution === null)
    expect(byHand).toBe(resolved)
    expect(service.living.size, 'the service’s count = done + resolved').toBe(byAnswer.length + byHand)
    expect(service.living.size).toBe(total)
    expect(Math.max(...service.made.values())).toBe(1)
    await expect.poll(async () => (await rpc.contacts.summary()).byState['service']).toBe(total)
  },
  timeoutMs,
)
