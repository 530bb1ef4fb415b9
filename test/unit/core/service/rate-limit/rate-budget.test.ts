import { describe, expect, test } from 'vitest'
import { createRateBudget, type RateBudget } from '#electron/core/service/rate-limit/rate-budget.ts'
import type { RateReading } from '#electron/core/service/rate-limit/rate-headers.ts'
import { createWakingClock } from '#electron/core/service/rate-limit/waking-clock.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { fixedServer, slidingServer, tokenBucketServer, type ServerModel } from './rate-servers.ts'
import { simulate, simulateSeveral } from './rate-simulation.ts'

const servers: [string, () => ServerModel][] = [
  ['a fixed window whose reset is rounded down', () => fixedServer()],
  ['a fixed window whose reset is rounded up', () => fixedServer(Math.ceil)],
  ['a sliding window whose reset is the oldest request’s end', () => slidingServer('oldest')],
  ['a sliding window whose reset is always a minute away', () => slidingServer('full')],
  ['a sliding window without a reset header', () => slidingServer('missing')],
  ['a token bucket', () => tokenBucketServer()],
]

const load = (
  name: string,
  othersPerMinute: number,
  latencyMs = 80,
  clicksPerMinute = 6,
  clickBurst = 1,
) => ({
  name,
  othersPerMinute,
  latencyMs,
  clicksPerMinute,
  clickBurst,
})
const loads = [
  load('nobody else', 0),
  load('no other program, a slow service', 0, 900),
  load('another program at 60/min', 60),
  load('another at 60/min and four clicks at a time', 60, 80, 12, 4),
  load('another program at 120/min', 120),
]

describe.each(servers)('endless bulk work against %s', (_server, makeServer) => {
  test.each(loads)('with $name: ≥95 % used, ≤1 % answered 429, a click waits under 1 s', async (given) => {
    const outcome = await simulate({ ...given, server: makeServer(), minutes: 8, seed: 5 })
    expect(outcome.clicks).toBeGreaterThan(15)
    expect(outcome).toMatchObject({
      use: expect.toSatisfy((use: number) => use >= 0.95),
      firstMinuteUse: expect.toSatisfy((use: number) => use >= 0.85),
      limitedShare: expect.toSatisfy((share: number) => share <= 0.01),
      longestClickMs: expect.toSatisfy((ms: number) => ms < 1_000),
    })
  })
})

test.each(servers.slice(0, 4))(
  'two consoles of one tenant share %s without fighting',
  async (_server, makeServer) => {
    const outcome = await simulateSeveral(makeServer(), 10, [1, 1])
    expect(outcome).toMatchObject({
      use: expect.toSatisfy((use: number) => use >= 0.95),
      limitedShare: expect.toSatisfy((share: number) => share <= 0.01),
      parts: expect.toSatisfy((parts: number[]) => Math.min(...parts) >= 0.23),
    })
  },
)

test.each(servers)('a team shares %s in proportion to what each has queued', async (_server, makeServer) => {
  const shares = [0.5, 0.3, 0.2]
  const { use, limited, parts } = await simulateSeveral(makeServer(), 10, shares)
  expect(use).toBeGreaterThanOrEqual(0.95)
  expect(limited).toBe(0)
  for (const [at, part] of parts.entries()) expect(Math.abs(part - shares[at]!)).toBeLessThan(0.1)
})

test('five of a team use a fixed window to its end without a 429', async () => {
  const { use, limited } = await simulateSeveral(fixedServer(), 10, [0.2, 0.2, 0.2, 0.2, 0.2])
  expect(use).toBeGreaterThanOrEqual(0.98)
  expect(limited).toBe(0)
})

test('leaves another program its 60/min', async () => {
  const server = fixedServer()
  let refusedOthers = 0
  const watched: ServerModel = {
    name: server.name,
    take(nowMs) {
      const taken = server.take(nowMs)
      if (taken.isLimited) refusedOthers++
      return taken
    },
  }
  await simulate({ server: watched, minutes: 6, clicksPerMinute: 3, othersPerMinute: 60, latencyMs: 80 })
  expect(refusedOthers / (6 * 60)).toBeLessThan(0.03)
})

const nothing: RateReading = { limitPerMinute: null, remaining: null, resetAtMs: null, retryAfterMs: null }

function start(random = seededRandom(3)) {
  const clock = createFakeClock()
  const budget = createRateBudget({ clock, random })
  return { clock, budget }
}
/** Whether a promise is settled by now. */
async function isGranted(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  void promise.then(() => (isSettled = true))
  await new Promise((resolve) => setImmediate(resolve))
  return isSettled
}
const spend = async (budget: RateBudget, count: number, reading: RateReading = nothing) => {
  for (let index = 0; index < count; index++) (await budget.acquire('operator')).answered(reading, false)
}

describe('a 429', () => {
  test('pauses every lane until just after the reset, then resumes', async () => {
    const { clock, budget } = start(() => 0.5)
    const permit = await budget.acquire('bulk')
    permit.answered({ ...nothing, remaining: 0, resetAtMs: clock.monotonic() + 20_000 }, true)
    const waiting = (['operator', 'live', 'bulk'] as const).map((lane) => budget.acquire(lane))
    expect(budget.snapshot()).toMatchObject({
      pausedForMs: 20_250,
      queued: { operator: 1, live: 1, bulk: 1 },
    })
    await clock.advance(20_200)
    expect(await isGranted(Promise.race(waiting))).toBe(false)
    await clock.advance(2_000)
    expect(await isGranted(Promise.all(waiting))).toBe(true)
  })

  test('without a reset waits longer each time, up to 30 s and jitter', async () => {
    const { clock, budget } = start(() => 0)
    const pauses: number[] = []
    for (let count = 0; count < 8; count++) {
      const granted = budget.acquire('operator')
      await clock.advance(60_000)
      const permit = await granted
      permit.answered(nothing, true)
      pauses.push(budget.snapshot().pausedForMs)
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  test('backs off and probes instead of waiting for the reset while requests are left', async () => {
    const { clock, budget } = start(() => 0)
    const pauses: number[] = []
    const resetAtMs = clock.monotonic() + 60_000
    for (let count = 0; count < 4; count++) {
      const granted = budget.acquire('bulk')
      await clock.advance(10_000)
      const reading = { ...nothing, remaining: 150, resetAtMs }
      ;(await granted).answered(reading, true)
      pauses.push(budget.snapshot().pausedForMs)
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000])
    const granted = budget.acquire('bulk')
    await clock.advance(10_000)
    ;(await granted).answered({ ...nothing, remaining: 149, resetAtMs }, false)
    expect(budget.snapshot()).toMatchObject({ pausedForMs: 0, remaining: 149 })
    // After an answer, the next one is the first again.
    ;(await budget.acquire('bulk')).answered({ ...nothing, remaining: 148, resetAtMs }, true)
    expect(budget.snapshot().pausedForMs).toBe(1_000)
  })

  test.each([
    ['waits for a reset that is nearer than the backoff', { remaining: 3, resetAtMs: 400 }, 400],
    ['obeys Retry-After', { retryAfterMs: 7_000 }, 7_000],
  ])('%s', async (_what, reading, pausedForMs) => {
    const { budget } = start(() => 0)
    ;(await budget.acquire('live')).answered({ ...nothing, ...reading }, true)
    expect(budget.snapshot().pausedForMs).toBe(pausedForMs)
  })
})

describe('the lanes', () => {
  test('put a click before live refreshes, and those before bulk', async () => {
    const { clock, budget } = start()
    ;(await budget.acquire('operator')).answered({ ...nothing, retryAfterMs: 5_000 }, true)
    const order: string[] = []
    for (const lane of ['bulk', 'live', 'operator'] as const)
      void budget.acquire(lane).then(() => order.push(lane))
    await clock.advance(7_000)
    expect(order).toEqual(['operator', 'live', 'bulk'])
  })

  test('put a session renewal at the head of its lane', async () => {
    const { clock, budget } = start()
    ;(await budget.acquire('operator')).answered({ ...nothing, retryAfterMs: 5_000 }, true)
    const order: string[] = []
    void budget.acquire('operator').then(() => order.push('click'))
    void budget.acquire('operator', { ahead: true }).then(() => order.push('refresh'))
    await clock.advance(7_000)
    expect(order).toEqual(['refresh', 'click'])
  })

  test('leave the reserve of a full window to clicks', async () => {
    const { clock, budget } = start()
    await spend(budget, 195)
    const bulk = budget.acquire('bulk')
    await clock.advance(1_000)
    expect(await isGranted(bulk)).toBe(false)
    expect(await isGranted(budget.acquire('operator'))).toBe(true)
  })

  test('send ten live refreshes at once and later ones at the pace', async () => {
    const { clock, budget } = start()
    let granted = 0
    for (let index = 0; index < 40; index++) void budget.acquire('live').then(() => granted++)
    await clock.advance(0)
    expect(granted).toBe(10)
    await clock.advance(3_000)
    expect(granted).toBeGreaterThan(15)
    expect(granted).toBeLessThan(25)
  })

  test('drop a cancelled wait without a cost', async () => {
    const { budget } = start()
    await spend(budget, 200)
    const controller = new AbortController()
    const waiting = budget.acquire('operator', { signal: controller.signal })
    expect(budget.snapshot().queued.operator).toBe(1)
    controller.abort(new Error('changed my mind'))
    await expect(waiting).rejects.toThrow('changed my mind')
    expect(budget.snapshot().queued.operator).toBe(0)
    await expect(budget.acquire('bulk', { signal: controller.signal })).rejects.toThrow('changed my mind')
  })

  test('reject current and later waits when closed', async () => {
    const { clock, budget } = start()
    await spend(budget, 200)
    const waiting = budget.acquire('operator')
    budget.close(new Error('closed'))
    await expect(waiting).rejects.toThrow('closed')
    await expect(budget.acquire('bulk')).rejects.toThrow('closed')
    expect(clock.pending()).toBe(0)
  })
})

describe('the account', () => {
  test('has 200 a minute until a header says otherwise', async () => {
    const { clock, budget } = start()
    await spend(budget, 200)
    expect(await isGranted(budget.acquire('operator'))).toBe(false)
    expect(budget.snapshot()).toMatchObject({ limitPerMinute: 200, usedByUs: 200, remaining: 0 })
    await clock.advance(60_001)
    await spend(budget, 1, { ...nothing, limitPerMinute: 600 })
    expect(budget.snapshot().limitPerMinute).toBe(600)
  })

  test('attributes the missing part of Remaining to others', async () => {
    const { clock, budget } = start()
    const resetAtMs = clock.monotonic() + 40_000
    await spend(budget, 1, { ...nothing, limitPerMinute: 200, remaining: 150, resetAtMs })
    expect(budget.snapshot()).toMatchObject({
      usedByUs: 1,
      usedByOthers: 49,
      remaining: 150,
      resetInMs: 40_000,
    })
  })

  test('does not count a request that never left', async () => {
    const { budget } = start()
    const permit = await budget.acquire('bulk')
    expect(budget.snapshot().usedByUs).toBe(1)
    permit.unused()
    expect(budget.snapshot().usedByUs).toBe(0)
  })

  test('keeps a newer answer over one to an older request', async () => {
    const { budget } = start()
    const [older, newer] = [await budget.acquire('operator'), await budget.acquire('operator')]
    newer.answered({ ...nothing, remaining: 20 }, false)
    older.answered({ ...nothing, remaining: 180 }, false)
    expect(budget.snapshot().remaining).toBe(20)
  })

  test('notifies its listeners until they stop', async () => {
    const { budget } = start()
    let changes = 0
    const stop = budget.onChange(() => changes++)
    await spend(budget, 1)
    expect(changes).toBeGreaterThan(0)
    stop()
    const before = changes
    await spend(budget, 1)
    expect(changes).toBe(before)
  })

  test.each([
    [900, 0, 10],
    [300, 600, 15],
  ])(
    'estimates %i bulk requests beside %i of a colleague, %i percent off at most',
    async (own, others, off) => {
      const { clock, budget } = start()
      const colleague = createRateBudget({ clock, random: () => 0 })
      const server = slidingServer('oldest')
      const send = async (by: RateBudget) => {
        const permit = await by.acquire('bulk')
        const { isLimited, reading } = server.take(clock.monotonic())
        permit.answered(reading, isLimited)
      }
      budget.setTeam(0, others)
      const estimatedMs = budget.estimateMs(own)
      budget.setTeam(own, others)
      colleague.setTeam(others, own)
      let doneAtMs = 0
      void Promise.all(Array.from({ length: own }, () => send(budget))).then(
        () => (doneAtMs = clock.monotonic()),
      )
      for (let at = 0; at < others; at++) void send(colleague)
      await clock.advance(400_000)
      expect(Math.abs(doneAtMs / estimatedMs - 1)).toBeLessThan(off / 100)
    },
  )
})

describe('after sleep, in which only the wall clock moved,', () => {
  const limited: RateReading = { limitPerMinute: 200, remaining: 0, resetAtMs: 90_000, retryAfterMs: null }

  async function pausedBudget() {
    const clock = createFakeClock()
    const budget = createRateBudget({ clock: createWakingClock(clock), random: () => 0 })
    const permit = await budget.acquire('operator')
    permit.answered(limited, true)
    expect(budget.pausedForMs()).toBe(90_000)
    return { clock, budget }
  }

  test('a pause whose window ended blocks nothing', async () => {
    const { clock, budget } = await pausedBudget()
    clock.jumpWall(600_000)
    expect(budget.pausedForMs()).toBe(0)
    await expect(budget.acquire('operator')).resolves.toBeDefined()
  })

  test('waiting requests leave within seconds', async () => {
    const { clock, budget } = await pausedBudget()
    let isGranted = false
    void budget.acquire('bulk').then(() => (isGranted = true))
    await clock.advance(1_000)
    expect(isGranted).toBe(false)
    clock.jumpWall(600_000)
    await clock.advance(5_000)
    expect(isGranted).toBe(true)
  })

  test('a corrected clock ends no pause', async () => {
    const { clock, budget } = await pausedBudget()
    clock.jumpWall(3_000)
    expect(budget.pausedForMs()).toBe(90_000)
    clock.jumpWall(-3_600_000)
    expect(budget.pausedForMs()).toBe(90_000)
  })
})
