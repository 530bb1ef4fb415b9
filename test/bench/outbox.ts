import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOperations } from '../../electron/core/people/outbox/operations.ts'
import { createOutboxRepository } from '../../electron/core/people/outbox/outbox.repository.ts'
import { createOutboxService } from '../../electron/core/people/outbox/outbox.service.ts'
import { createApiKey } from '../../electron/core/service/credentials/credentials.ts'
import { createNetworkWatch } from '#electron/core/service/client/network-watch.ts'
import { createServiceClient } from '../../electron/core/service/client/create-service-client.ts'
import { defaultFieldNames } from '../../electron/core/service/field-names/default-field-names.ts'
import { openDatabase } from '../../electron/database/open.ts'
import { createLog } from '../../electron/lib/log.ts'
import { seededRandom } from '../../electron/lib/random.ts'
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts'
import {
  fixedServer,
  runOther,
  type ServerModel,
  slidingServer,
} from '../unit/core/service/rate-limit/rate-servers.ts'
import type { BenchResult } from './bench-result.ts'

/** Minutes of simulated time. The first, in which the client learns how the service counts, is not measured. */
const minutes = 6
const limitPerMinute = 200
/** Average round trip. */
const latencyMs = 80
const clicksPerMinute = 6
const log = createLog(() => {}, 'bench')

/** A clock that the benchmark moves; its wall time has whole milliseconds, like the system’s. */
function createWholeClock(): FakeClock {
  const clock = createFakeClock()
  return { ...clock, now: () => Math.round(clock.now()) }
}

interface Outcome {
  /** Share of the limit used by all programs of the tenant after the first minute. */
  used: number
  /** Share of our answers that were 429. */
  limited: number
  /** From the click to its answer, milliseconds. */
  longestClickMs: number
  clicks: number
}

/** A service in fake time that counts as `server` does for one program, and its answers. */
function createService(server: ServerModel, clock: FakeClock, othersPerMinute: number) {
  const random = seededRandom(7)
  const okByMinute: number[] = Array.from({ length: minutes }, () => 0)
  const other = runOther(server, clock, seededRandom(11), othersPerMinute)
  let answers = 0
  let limited = 0
  let othersAfterFirst = 0
  const fetch = async (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit) => {
    const travelMs = latencyMs * (0.5 + random())
    await clock.sleep(travelMs / 2)
    const { isLimited, reading } = server.take(clock.monotonic())
    const minute = Math.floor(clock.monotonic() / 60_000)
    if (!isLimited && minute < minutes) okByMinute[minute]!++
    answers++
    if (isLimited) limited++
    await clock.sleep(travelMs / 2)
    // The models report a reset as a client of whole seconds reads it, up to a second late.
    const resetMs = clock.now() + (reading.resetAtMs ?? 0) - 1_000 - clock.monotonic()
    const isContact = new URL(input as string).pathname.endsWith('/contacts')
    const body = isLimited
      ? { error: 'rate limit exceeded' }
      : isContact
        ? { id: `c-${answers}`, ...(JSON.parse(init!.body as string) as object) }
        : { messages_today: 1 }
    return new Response(JSON.stringify(body), {
      status: isLimited ? 429 : isContact ? 201 : 200,
      headers: {
        'content-type': 'application/json',
        date: new Date(clock.now()).toUTCString(),
        'x-ratelimit-limit': String(reading.limitPerMinute),
        'x-ratelimit-remaining': String(reading.remaining),
        'x-ratelimit-reset': String(Math.floor(resetMs / 1_000)),
      },
    })
  }
  return {
    fetch: fetch as typeof globalThis.fetch,
    firstMinuteOver: () => void (othersAfterFirst = -other.taken()),
    outcome(clickMs: number[]): Outcome {
      other.stop()
      const ours = okByMinute.slice(1).reduce((sum, count) => sum + count, 0)
      othersAfterFirst += other.taken()
      return {
        used: (ours + othersAfterFirst) / (limitPerMinute * (minutes - 1)),
        limited: limited / answers,
        longestClickMs: Math.max(...clickMs),
        clicks: clickMs.length,
      }
    },
  }
}

/** Advances simulated time, with clicks at random moments. */
async function passTime(
  clock: FakeClock,
  click: () => Promise<unknown>,
  onFirstMinute: () => void,
): Promise<number[]> {
  const random = seededRandom(5)
  const clickMs: number[] = []
  let asked = 0
  let isOver = false
  const scheduleClick = () =>
    clock.after((-Math.log(1 - random()) * 60_000) / clicksPerMinute, () => {
      if (isOver) return
      const askedMs = clock.monotonic()
      asked++
      click().then(
        () => clickMs.push(clock.monotonic() - askedMs),
        () => {},
      )
      scheduleClick()
    })
  scheduleClick()
  for (let atMs = 0; atMs < minutes * 60_000; atMs += 20) {
    await clock.advance(20)
    if (atMs === 60_000) onFirstMinute()
  }
  isOver = true
  await clock.advance(5_000)
  // Unanswered clicks have waited at least this long.
  while (clickMs.length < asked) clickMs.push(5_000)
  return clickMs
}

/** The outbox as the core runs it: database, drain, client and rate limit. */
async function viaOutbox(server: ServerModel, othersPerMinute: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'))
  const opened = openDatabase({ file: join(folder, 'state.db'), schema: 'state', log })
  const clock = createWholeClock()
  const service = createService(server, clock, othersPerMinute)
  const client = createServiceClient({
    baseUrl: 'http://127.0.0.1:1/v1',
    credentials: createApiKey({ apiKey: 'key' }),
    clock,
    random: seededRandom(3),
    fieldNames: () => defaultFieldNames,
    log,
    fetch: service.fetch,
  })
  const outbox = createOutboxService({
    repository: createOutboxRepository(opened.db),
    client,
    network: createNetworkWatch(clock, () => {}),
    credentials: createApiKey({ apiKey: 'key' }),
    operations: createOperations(client),
    effects: { wake() {}, settled: () => Promise.resolve(), stop: () => Promise.resolve() },
    trash: { restore: () => Promise.resolve({ restored: 0, lost: 0 }), purge: () => Promise.resolve() },
    isInContacts: () => true,
    findRequests: () => Promise.resolve({ ids: [], total: 0 }),
    blockedBecause: () => null,
    dncProblem: () => null,
    inboundProblems: () => [],
    connection: () => {
      throw new Error('not used in this benchmark')
    },
    clock,
    log,
  })
  const { batchId } = outbox.begin({ kind: 'push', title: 'bench' })
  outbox.add(
    batchId,
    Array.from({ length: limitPerMinute * (minutes + 2) }, (_, n) => {
      const phone = `+1415${2_000_000 + n}`
      const body = { name: `Contact ${n}`, phone, email: '', tags: {} }
      return {
        operation: 'create-contact' as const,
        name: body.name,
        phone,
        contactId: null,
        serviceId: null,
        body,
        afterId: null,
      }
    }),
  )
  outbox.start()
  const clickMs = await passTime(
    clock,
    () => client.dashboard.get({ lane: 'operator' }),
    service.firstMinuteOver,
  )
  const outcome = service.outcome(clickMs)
  client.close()
  const stopping = outbox.stop()
  await clock.advance(5_000)
  await stopping
  opened.close()
  rmSync(folder, { recursive: true })
  return outcome
}

/** The usual way: as many at once as fit, and after a 429 each waits for the reset. */
async function viaEagerClient(server: ServerModel, othersPerMinute: number): Promise<Outcome> {
  const clock = createWholeClock()
  const service = createService(server, clock, othersPerMinute)
  let isOver = false
  const send = async (path: string) => {
    for (;;) {
      const response = await service.fetch(`http://service${path}`, { body: '{}' })
      if (response.status !== 429) return
      const resetMs = Number(response.headers.get('x-ratelimit-reset')) * 1_000 - clock.now()
      await clock.sleep(Math.max(1_000, resetMs))
    }
  }
  for (let worker = 0; worker < 16; worker++)
    void (async () => {
      while (!isOver) await send('/contacts')
    })()
  const clickMs = await passTime(clock, () => send('/dashboard'), service.firstMinuteOver)
  isOver = true
  return service.outcome(clickMs)
}

const cases: { name: string; server: () => ServerModel; othersPerMinute: number }[] = [
  { name: 'fixed window', server: () => fixedServer(), othersPerMinute: 0 },
  { name: 'sliding window', server: () => slidingServer('oldest'), othersPerMinute: 0 },
  { name: 'fixed window, others 60/min', server: () => fixedServer(), othersPerMinute: 60 },
]

/** The share of the tenant’s limit that the outbox uses, in simulated time, and how long the operator’s clicks wait. */
export async function run(): Promise<BenchResult> {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  const line = (name: string, { used, limited, longestClickMs, clicks }: Outcome) =>
    `${name.padEnd(44)} used ${percent(used).padStart(7)}   429 ${percent(limited).padStart(6)}   longest of ${clicks} clicks ${(longestClickMs / 1_000).toFixed(2)} s`
  const lines = [
    `${minutes} minutes of simulated time, ${limitPerMinute}/min, ${latencyMs} ms per answer, without the first minute`,
  ]
  let used = 1
  let limited = 0
  let longestClickMs = 0
  for (const { name, server, othersPerMinute } of cases) {
    const outbox = await viaOutbox(server(), othersPerMinute)
    lines.push(line(`outbox, ${name}`, outbox))
    lines.push(line(`  with an eager client instead`, await viaEagerClient(server(), othersPerMinute)))
    used = Math.min(used, outbox.used)
    limited = Math.max(limited, outbox.limited)
    longestClickMs = Math.max(longestClickMs, outbox.longestClickMs)
  }
  return {
    name: 'outbox',
    lines,
    targets: [
      { name: 'share of the limit used, minimum', value: used, bound: { atLeast: 0.95 } },
      { name: 'share of 429 answers, maximum', value: limited, bound: { below: 0.0101 } },
      { name: 'longest click, seconds', value: longestClickMs / 1_000, bound: { below: 1 } },
    ],
  }
}
