import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { OutboxDrain, OutboxItem } from '#contract/people/outbox.ts'
import type { BulkSend, PlanCounts } from '#contract/people/templates.ts'
import { createFastDayClock } from '../../../../helpers/fast-clock.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { confirmSend, dryRun, peopleIn, sendTo } from '../../../../helpers/bulk-sends.ts'
import { syncDnc } from '../../../../helpers/dnc.ts'
import { upload } from '../../../../helpers/contact-files.ts'
import { testSecret } from '../../../../helpers/listener.ts'
import { fakeSecrets, type Rpc, startCore } from '../../../../helpers/start-core.ts'
import { everyItem, phoneOf } from '../outbox/outbox-items.ts'

/** Messages to the parent. */
export type FromSender =
  | { kind: 'queueing'; queued: number }
  | { kind: 'drain'; send: BulkSend['state']; state: OutboxDrain['state']; counts: OutboxDrain['counts'] }
  | { kind: 'items'; items: Pick<OutboxItem, 'phone' | 'state'>[]; counts: PlanCounts | null }

/**
 * A console in its own process, to be killed: `node ott-process.ts <data folder> <base URL> <recipients> <holds> [<relay URL> <token> <team key>]`.
 * The first start syncs the DNC list, holds the last numbers and prepares one send to a file with repetitions; later starts resume. With a
 * relay it joins the team and queues single messages instead.
 */
const [dataDir = '', baseUrl = '', countText = '0', holdsText = '0', relayUrl, token = '', teamKey = ''] =
  process.argv.slice(2)
const total = Number(countText)
const holds = Number(holdsText)
/** Speeds up the time of day too, so that undo windows end. */
const clock = relayUrl ? systemClock : createFastDayClock(20, { keepDeadlines: true })
/** A keychain that outlives the process. */
const secrets = fakeSecrets()
const secretsFile = `${dataDir}.keychain.json`
if (existsSync(secretsFile))
  for (const [account, value] of JSON.parse(readFileSync(secretsFile, 'utf8')) as [string, string][])
    secrets.values.set(account, value)
const tell = (message: FromSender) => void process.send?.(message)

async function prepare(rpc: Rpc): Promise<void> {
  await syncDnc(rpc)
  for (let n = total - holds; n < total; n++)
    await rpc.dnc.hold({ phone: phoneOf(n), region: 'US', evidence: 'asked' })
  const { key } = await rpc.templates.create({
    name: 'Points',
    body: '{{name}}: {{points}}',
    variables: [
      { name: 'name', type: 'string' },
      { name: 'points', type: 'number' },
    ],
  })
  // Every tenth row is repeated, the second time in national format.
  const rows = Array.from({ length: total }, (_, n) => `Person ${n},${phoneOf(n)},${n}`)
  const again = rows.filter((_, n) => n % 10 === 0).map((row) => row.replace('+1', ''))
  const fileId = await upload(rpc, 'people.csv', ['name,phone,points', ...rows, ...again].join('\n'))
  await dryRun(rpc, {
    key,
    source: peopleIn(fileId, { region: 'US' }),
    mapping: [
      { name: 'name', source: { from: 'name' } },
      { name: 'points', source: { from: 'column', column: 2 } },
    ],
  })
}

async function queueInTeam(rpc: Rpc, url: string): Promise<void> {
  await syncDnc(rpc)
  await rpc.listener.setRelay({ mode: 'relay', url, inbox: 'main', token })
  await rpc.team.join({ name: 'Ana', key: teamKey })
  writeFileSync(secretsFile, JSON.stringify([...secrets.values]))
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
  await rpc.outbox.pause()
  for (let n = 0; n < total; n++) await sendTo(rpc, { key, to: phoneOf(n) })
  await rpc.outbox.resume()
}

const { rpc } = await startCore({
  dataDir,
  clock,
  secrets,
  sandbox: { contactsCount: 0, dncCount: 0 },
  config: { startWith: { kind: 'unattended', baseUrl, apiKey: 'key-ana', webhookSecret: testSecret } },
})
const firstSend = async () => (await rpc.templates.sends({})).items[0]

process.on('message', () => {
  void (async () => {
    const items = (await everyItem(rpc)).map(({ phone, state }) => ({ phone, state }))
    tell({ kind: 'items', items, counts: (await firstSend())?.counts ?? null })
  })()
})

async function sendToAll(): Promise<void> {
  if (!(await firstSend())) await prepare(rpc)
  const send = (await firstSend())!
  if (send.state === 'prepared' || send.state === 'queueing-stopped')
    await confirmSend(rpc, send.id, { uncheckedKnowingly: true })
  for await (const { tasks } of await rpc.tasks.watch()) {
    const { state, queued } = (await rpc.templates.sendOf({ id: send.id })).send
    if (queued > 0) tell({ kind: 'queueing', queued })
    if (state === 'queued' || state.startsWith('finished')) break
    if (tasks.length === 0) break
  }
}

if (!relayUrl) await sendToAll()
else if (!existsSync(secretsFile)) await queueInTeam(rpc, relayUrl)
for await (const { state, counts } of await rpc.outbox.watch())
  tell({ kind: 'drain', send: (await firstSend())?.state ?? 'queued', state, counts })
