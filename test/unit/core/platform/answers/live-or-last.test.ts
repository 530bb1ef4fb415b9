import { expect, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import type { AnswersRepository, KeptAnswer } from '#electron/core/platform/answers/answers.repository.ts'
import { createLiveOrLast } from '#electron/core/platform/answers/live-or-last.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'

function setUp() {
  const clock = createFakeClock()
  const kept = new Map<string, KeptAnswer>()
  const answers: AnswersRepository = {
    get: (key) => kept.get(key),
    put: (key, bodyJson, asOfMs) => void kept.set(key, { bodyJson, asOfMs }),
  }
  return { clock, kept, liveOrLast: createLiveOrLast(answers, clock, quietLog), answers }
}
const offline = () => Promise.reject(new AppError('SERVICE_UNREACHABLE', { host: 'h', detail: 'gone' }))

test('returns a live answer as live and stores it', async () => {
  const { clock, liveOrLast } = setUp()
  const live = await liveOrLast('k', () => Promise.resolve({ n: 1 }))
  expect(live.freshness).toMatchObject({ source: 'live', error: null })
  await clock.advance(60_000)
  const last = await liveOrLast('k', offline)
  expect(last.value).toEqual({ n: 1 })
  expect(last.freshness).toMatchObject({
    source: 'cache',
    asOf: live.freshness.asOf,
    error: { code: 'SERVICE_UNREACHABLE' },
  })
})

test('throws the error without a stored answer', async () => {
  const { liveOrLast } = setUp()
  await expect(liveOrLast('k', offline)).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' })
})

test('returns the stored answer when the service is slow, and stores the late one', async () => {
  const { clock, liveOrLast } = setUp()
  await liveOrLast('k', () => Promise.resolve(1))
  let answer: (value: number) => void = () => {}
  const slow = () => new Promise<number>((resolve) => (answer = resolve))
  const asked = liveOrLast('k', slow)
  await clock.advance(1_500)
  expect(await asked).toMatchObject({ value: 1, freshness: { source: 'cache', error: null } })
  answer(2)
  await clock.advance(0)
  expect((await liveOrLast('k', offline)).value).toBe(2)
})

test('waits for a slow service when the stored answer is deleted meanwhile', async () => {
  const { clock, kept, liveOrLast } = setUp()
  await liveOrLast('k', () => Promise.resolve(1))
  const late = Promise.withResolvers<number>()
  const asked = liveOrLast('k', () => late.promise)
  kept.clear()
  await clock.advance(1_500)
  late.resolve(2)
  expect(await asked).toMatchObject({ value: 2, freshness: { source: 'live' } })
})

test('shares a running call among callers', async () => {
  const { liveOrLast } = setUp()
  let calls = 0
  const ask = () => Promise.resolve(++calls)
  const both = await Promise.all([liveOrLast('k', ask), liveOrLast('k', ask)])
  expect(both.map(({ value }) => value)).toEqual([1, 1])
})

test('throws the console’s own errors despite a stored answer', async () => {
  const { liveOrLast } = setUp()
  await liveOrLast('k', () => Promise.resolve(1))
  await expect(liveOrLast('k', () => Promise.reject(new TypeError('ours')))).rejects.toThrow('ours')
})

test('returns a live answer that cannot be stored', async () => {
  const { answers, liveOrLast } = setUp()
  answers.put = () => {
    throw new Error('the disk is full')
  }
  expect(await liveOrLast('k', () => Promise.resolve(1))).toMatchObject({
    value: 1,
    freshness: { source: 'live' },
  })
})
