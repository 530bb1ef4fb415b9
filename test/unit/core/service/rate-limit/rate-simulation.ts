import { createRateBudget, type RateBudget } from '#electron/core/service/rate-limit/rate-budget.ts'
import type { Lane } from '#electron/core/service/rate-limit/rate-window.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { runOther, type ServerModel } from './rate-servers.ts'

export interface Outcome {
  /** Share of the limit used by bulk, clicks and others, over whole minutes after the first. */
  use: number
  /** The same for the first minute. */
  firstMinuteUse: number
  /** Share of our answers that were 429. */
  limitedShare: number
  /** Longest wait of a click for its permit, milliseconds. */
  longestClickMs: number
  clicks: number
}

/** Endless bulk work, clicks at random times, another program, one server, fake time. */
export async function simulate(options: {
  server: ServerModel
  minutes: number
  clicksPerMinute: number
  othersPerMinute: number
  latencyMs: number
  seed?: number
  /** Clicks at one moment, e.g. opening a page. */
  clickBurst?: number
}): Promise<Outcome> {
  const { server, minutes, latencyMs } = options
  const clock = createFakeClock()
  const random = seededRandom(options.seed ?? 1)
  const budget: RateBudget = createRateBudget({ clock, random: seededRandom(99) })
  const okAt: number[] = []
  let answers = 0
  let limited = 0
  const clickWaits: number[] = []
  let isOver = false

  async function send(lane: Lane): Promise<void> {
    const askedMs = clock.monotonic()
    const permit = await budget.acquire(lane)
    if (lane === 'operator') clickWaits.push(clock.monotonic() - askedMs)
    const travelMs = latencyMs * (0.5 + random())
    await clock.sleep(travelMs / 2)
    const { isLimited, reading } = server.take(clock.monotonic())
    if (!isLimited) okAt.push(clock.monotonic())
    await clock.sleep(travelMs / 2)
    answers++
    if (isLimited) limited++
    permit.answered(reading, isLimited)
  }

  async function work(): Promise<void> {
    while (!isOver) await send('bulk')
  }
  // As many at once as an outbox would have in flight.
  const clicks: Promise<void>[] = []
  const workers = Array.from({ length: 16 }, () => work().catch(() => {}))
  const clickGapMs = 60_000 / Math.max(options.clicksPerMinute, 0.001)
  const scheduleClick = () => {
    clock.after(-Math.log(1 - random()) * clickGapMs * (options.clickBurst ?? 1), () => {
      for (let count = 0; count < (options.clickBurst ?? 1) && !isOver; count++) clicks.push(send('operator'))
      if (!isOver) scheduleClick()
    })
  }
  if (options.clicksPerMinute > 0) scheduleClick()
  const other = runOther(server, clock, random, options.othersPerMinute)
  const otherByMinute: number[] = []
  for (let minute = 0; minute < minutes; minute++) {
    const before = other.taken()
    await clock.advance(60_000)
    otherByMinute.push(other.taken() - before)
  }
  isOver = true
  other.stop()
  budget.close(new Error('over'))
  await clock.advance(10_000)
  await Promise.allSettled([...workers, ...clicks])

  const oursByMinute = otherByMinute.map(
    (_count, minute) => okAt.filter((atMs) => Math.floor(atMs / 60_000) === minute).length,
  )
  const used = oursByMinute.map((ours, minute) => ours + otherByMinute[minute]!)
  const later = used.slice(1)
  return {
    use: later.reduce((sum, count) => sum + count, 0) / (200 * later.length),
    firstMinuteUse: used[0]! / 200,
    limitedShare: limited / answers,
    longestClickMs: Math.max(0, ...clickWaits),
    clicks: clickWaits.length,
  }
}

/**
 * Consoles of one tenant with endless bulk work. Those with a share of 1 know of each other only through the headers; the others are
 * a team.
 */
export async function simulateSeveral(server: ServerModel, minutes: number, shares: readonly number[]) {
  const clock = createFakeClock()
  const random = seededRandom(11)
  let isOver = false
  const consoles = shares.map((share, at) => {
    const budget = createRateBudget({ clock, random: seededRandom(21 + at) })
    budget.setTeam(share, 1 - share)
    const counts = { ok: 0, limited: 0 }
    const work = async () => {
      while (!isOver) {
        const permit = await budget.acquire('bulk')
        await clock.sleep(40 + random() * 40)
        const { isLimited, reading } = server.take(clock.monotonic())
        counts[isLimited ? 'limited' : 'ok']++
        await clock.sleep(40)
        permit.answered(reading, isLimited)
      }
    }
    return { budget, counts, workers: Array.from({ length: 8 }, () => work().catch(() => {})) }
  })
  await clock.advance(60_000)
  for (const { counts } of consoles) Object.assign(counts, { ok: 0, limited: 0 })
  await clock.advance((minutes - 1) * 60_000)
  const result = consoles.map(({ counts }) => ({ ...counts }))
  isOver = true
  for (const { budget } of consoles) budget.close(new Error('over'))
  await clock.advance(10_000)
  await Promise.all(consoles.flatMap(({ workers }) => workers))
  const ok = result.reduce((sum, counts) => sum + counts.ok, 0)
  const limited = result.reduce((sum, counts) => sum + counts.limited, 0)
  return {
    use: ok / (200 * (minutes - 1)),
    limited,
    limitedShare: limited / (ok + limited),
    parts: result.map((counts) => counts.ok / ok),
  }
}
