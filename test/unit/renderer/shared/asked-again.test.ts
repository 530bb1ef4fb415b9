import { expect, test } from 'vitest'
import type { Freshness } from '#contract/define.ts'
import { createAskedAgain } from '../../../../renderer/src/shared/state/asked-again.ts'
import { createLoadable } from '../../../../renderer/src/shared/state/loadable.ts'

const asOf = '2026-11-20T12:00:00.000Z'
const waiting: Freshness = { asOf, source: 'cache', error: null }
const live: Freshness = { asOf, source: 'live', error: null }
const refused: Freshness = {
  asOf,
  source: 'cache',
  error: { code: 'SERVICE_UNREACHABLE', text: '', retryable: true, data: {} },
}

/** A source whose answers come in this order, the last again and again, and time that goes on by `next`. */
function aSource(...answers: Freshness[]) {
  let asked = 0
  let due: (() => void) | null = null
  const source = createLoadable(() =>
    Promise.resolve({ freshness: answers[Math.min(asked++, answers.length - 1)]! }),
  )
  const again = createAskedAgain(source, (_delayMs, callback) => {
    due = callback
    return () => (due = null)
  })
  const next = async () => {
    const fire = due
    due = null
    fire?.()
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    return fire !== null
  }
  return { source, again, next, asked: () => asked }
}

test('a last answer of a slow service is followed by its answer', async () => {
  const { source, again, next } = aSource(waiting, waiting, live)
  await again.refresh()
  while (await next());
  expect(source.state.value).toMatchObject({ value: { freshness: live } })
})

test('an answer, and a reason why there is none, are not asked for again', async () => {
  for (const first of [live, refused]) {
    const { again, next, asked } = aSource(first)
    await again.refresh()
    expect(await next()).toBe(false)
    expect(asked()).toBe(1)
  }
})

test('asking ends in time, and with its page', async () => {
  const long = aSource(waiting)
  await long.again.refresh()
  while (await long.next());
  expect(long.asked()).toBe(9)
  const left = aSource(waiting)
  await left.again.refresh()
  left.again.stop()
  expect(await left.next()).toBe(false)
})
