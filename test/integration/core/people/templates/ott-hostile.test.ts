import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import {
  confirmSend,
  dryRun,
  peopleIn,
  sendTo,
  pointsMapping,
  pointsTemplate,
} from '../../../../helpers/bulk-sends.ts'
import { upload } from '../../../../helpers/contact-files.ts'
import { drawFate } from '../../../../helpers/contact-service.ts'
import { ambiguousOttFates, type OttFate, startOttService } from '../../../../helpers/ott-service.ts'
import { syncDnc } from '../../../../helpers/dnc.ts'
import { expectTruth } from '../../../../helpers/hostile-outcomes.ts'
import { startKilledConsole } from '../../../../helpers/killed-console.ts'
import { testSecret } from '../../../../helpers/listener.ts'
import { startRelayProcess } from '../../../../helpers/relay.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { openTeamConsole, teamKey, turn } from '../../../../helpers/team-console.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { outboxWhere } from '../../../../helpers/wait-for.ts'
import { everyItem, phoneOf } from '../outbox/outbox-items.ts'

/** `SWITCHBOARD_HOSTILE_SENDS=10000` runs it at full size; see test/README.md. */
const total = Number(process.env['SWITCHBOARD_HOSTILE_SENDS'] ?? 150)
const seed = Number(process.env['SWITCHBOARD_HOSTILE_SEED'] ?? 1)
const kills = total > 1_000 ? 20 : 2
/** Rounds in which a colleague holds a number and something is killed. */
const rounds = Number(process.env['SWITCHBOARD_TEAM_KILLS'] ?? 2)
const timeoutMs = total > 1_000 || rounds > 10 ? 1_800_000 : 300_000
/** The first numbers are on the DNC list, the last on hold. */
const listed = Math.floor(total / 20)
const holds = Math.min(40, Math.floor(total / 40))

const shares: [share: number, fate: OttFate][] = [
  [0.1, 'limited'],
  [0.06, 'failed-after'],
  [0.02, 'failed-before'],
  [0.02, 'reset-before'],
  [0.02, 'reset-after'],
  [0.03, 'rejected'],
  [0.005, 'other-record'],
]

const startWith = ({ baseUrl }: { baseUrl: string }) =>
  ({ kind: 'unattended', baseUrl, apiKey: 'key-ana', webhookSecret: testSecret }) as const

/** Syncs the DNC list, holds the last numbers and prepares one send to a file with repetitions. @returns its ID. */
async function prepare(rpc: Rpc): Promise<string> {
  await syncDnc(rpc)
  for (let n = total - holds; n < total; n++)
    await rpc.dnc.hold({ phone: phoneOf(n), region: 'US', evidence: 'asked' })
  const { key } = await rpc.templates.create(pointsTemplate)
  // Every tenth row is repeated, the second time in national format.
  const rows = Array.from({ length: total }, (_, n) => `Person ${n},${phoneOf(n)},${n}`)
  const again = rows.filter((_, n) => n % 10 === 0).map((row) => row.replace('+1', ''))
  const fileId = await upload(rpc, 'people.csv', ['name,phone,points', ...rows, ...again].join('\n'))
  const { id } = await dryRun(rpc, {
    key,
    source: peopleIn(fileId, { region: 'US' }),
    mapping: pointsMapping,
  })
  return id
}

test(
  `sends to ${total} people through a hostile service and ${kills} kills: none twice, none lost unreported, none blocked`,
  async () => {
    const random = seededRandom(seed)
    const folder = tempFolder()
    const service = await startOttService()
    onTestFinished(() => service.stop())
    service.dnc = Array.from({ length: listed }, (_, n) => phoneOf(n))
    service.fate = () => {
      const fate = drawFate(random(), shares)
      child.countRequest(() => Math.floor(random() * 6))
      return fate
    }

    const child = startKilledConsole({
      dataDir: folder,
      startWith: startWith(service),
      clock: 'fast-day',
    })
    const id = await prepare(child.rpc)
    const sendNow = async () => (await child.rpc.templates.sendOf({ id })).send

    // The first kill comes while the send is being queued, the others while it is sent.
    await confirmSend(child.rpc, id, { uncheckedKnowingly: true })
    await expect.poll(async () => (await sendNow()).queued, { interval: 5 }).toBeGreaterThan(0)
    expect(service.requests, 'nothing leaves before all is queued, or within the undo window').toEqual([])
    await child.kill()
    await child.restart()
    if ((await sendNow()).state === 'queueing-stopped')
      await confirmSend(child.rpc, id, { uncheckedKnowingly: true })
    for (let killed = 1; killed < kills; killed++) {
      child.killAfter(Math.floor(((0.3 + 0.4 * random()) * total) / kills))
      await child.restart()
    }
    await outboxWhere(
      child.rpc,
      async ({ counts }) =>
        counts.undoable + counts.queued + counts.blocked + counts['in-flight'] === 0 &&
        (await sendNow()).state === 'finished-in-part',
    )
    const items = await everyItem(child.rpc)
    const { counts } = await sendNow()

    // Every tenth row is in the file twice.
    const heldRows = Array.from({ length: total }, (_, n) => n)
      .filter((n) => n >= total - holds)
      .reduce((sum, n) => sum + (n % 10 === 0 ? 2 : 1), 0)
    const wanted = new Set(Array.from({ length: total - listed - holds }, (_, n) => phoneOf(listed + n)))
    const of = (state: string) =>
      new Set(items.filter((one) => one.state === state).map(({ phone }) => phone))
    const [done, unknown, rejected] = [of('done'), of('unknown'), of('rejected')]
    expect(counts).toMatchObject({
      recipients: total + Math.ceil(total / 10),
      willSend: wanted.size,
      held: heldRows,
      badNumber: 0,
    })
    expect(items, 'one item each').toHaveLength(wanted.size)
    expect(new Set(items.map(({ phone }) => phone)), 'nobody else, nobody missing').toEqual(wanted)
    expect(done.size + unknown.size + rejected.size, 'an end for everybody').toBe(wanted.size)

    const asked = new Set(service.requests.map(({ to }) => to))
    expect(
      [...asked].filter((phone) => !wanted.has(phone)),
      'nobody of the list or on hold was even asked for',
    ).toEqual([])
    expectTruth(
      { done, unknown },
      service.sent,
      service.requests.map(({ to, fate }) => ({ phone: to, isUnclear: ambiguousOttFates.includes(fate) })),
    )
    expect(
      [...rejected].filter((phone) => service.sent.has(phone)),
      'what was refused was not sent',
    ).toEqual([])
    for (const { to, variables } of service.requests.slice(0, 50))
      expect(phoneOf(variables['points'] as number), 'each gets their own values').toBe(to)
  },
  timeoutMs,
)

test(
  `never contacts a number that a colleague held before messages waited, over ${rounds} kills of the relay and the console`,
  async () => {
    const random = seededRandom(seed)
    const [dataDir, folder] = [tempFolder(), tempFolder()]
    const [token, colleagues] = [
      await addToken(openFolder(dataDir), 'ana', 'main', 1),
      await addToken(openFolder(dataDir), 'ben', 'main', 1),
    ]
    let relay = await startRelayProcess(['--data-dir', dataDir])
    onTestFinished(() => relay.host.kill('SIGKILL'))
    const url = `http://127.0.0.1:${relay.port}`
    const ben = openTeamConsole('Ben', { url, token: colleagues }, tempFolder())
    onTestFinished(ben.stop)
    await ben.join()
    const service = await startOttService()
    onTestFinished(() => service.stop())
    const arrived: string[] = []
    service.fate = async (to) => {
      arrived.push(to)
      await systemClock.sleep(300)
      return 'done' as const
    }
    const count = 60 + rounds * 100
    const child = startKilledConsole({
      dataDir: folder,
      startWith: startWith(service),
    })
    const { rpc } = child
    await syncDnc(rpc)
    await rpc.listener.setRelay({ mode: 'relay', url, inbox: 'main', token })
    await rpc.team.join({ name: 'Ana', key: teamKey })
    const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
    await rpc.outbox.pause()
    for (let n = 0; n < count; n++) await sendTo(rpc, { key, to: phoneOf(n) })
    await rpc.outbox.resume()
    await outboxWhere(rpc, ({ counts }) => counts.done > 0)

    /** Held, and how many requests had arrived when messages waited. */
    const held = new Map<string, number>()
    let waits = 0
    for (let round = 0; round < rounds; round++) {
      // Its turn is soon.
      const number = phoneOf(arrived.length + 20 + Math.floor(random() * 40))
      ben.holds.add(Number(number.slice(1)), `round ${round}`, ben.nowMs())
      ben.changed()
      while (ben.repository.countWaiting() > 0) await turn()
      await systemClock.sleep(random() * 50)
      await relay.host.kill('SIGKILL')
      if (random() < 0.5) {
        await child.kill()
        await child.restart()
      }
      const { state } = await outboxWhere(
        child.rpc,
        ({ state, counts }) => state === 'waiting' || counts.queued === 0,
      )
      if (state !== 'waiting') break
      const before = arrived.length
      held.set(number, held.get(number) ?? before)
      waits++
      await systemClock.sleep(300)
      expect(arrived.length, 'nothing leaves without the relay').toBe(before)
      relay = await startRelayProcess(['--data-dir', dataDir], relay.port)
      await outboxWhere(child.rpc, ({ state }) => state !== 'waiting')
    }
    await outboxWhere(child.rpc, ({ counts }) => counts.queued + counts['in-flight'] === 0)
    expect(waits, 'messages waited in each round').toBe(rounds)
    const late = [...held].filter(([number, before]) => arrived.indexOf(number, before) !== -1)
    expect(late, 'nobody on hold').toEqual([])
    const items = await everyItem(child.rpc)
    const of = (state: string) =>
      new Set(items.filter((one) => one.state === state).map(({ phone }) => phone))
    expectTruth({ done: of('done'), unknown: of('unknown') }, service.sent, [])
    const missed = items.filter(
      ({ phone, state }) => !['done', 'unknown'].includes(state) && !held.has(phone),
    )
    expect(missed, 'everybody else').toEqual([])
  },
  timeoutMs,
)
