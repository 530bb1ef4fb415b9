import { expect, test } from 'vitest'
import { watchForStall } from '#electron/hosts/core-client.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'

function watching() {
  const clock = createFakeClock()
  let answer: () => void = () => {}
  let pings = 0
  let stalls = 0
  const ping = () => {
    pings++
    return new Promise<void>((resolve) => (answer = resolve))
  }
  watchForStall(ping, clock, () => stalls++)
  return { clock, answer: () => answer(), counts: () => ({ pings, stalls }) }
}

test('reports once a core that answers no ping for 30 s', async () => {
  const { clock, counts } = watching()
  await clock.advance(30_000)
  expect(counts()).toEqual({ pings: 1, stalls: 0 })
  await clock.advance(5_000)
  expect(counts().stalls).toBe(1)
  await clock.advance(600_000)
  expect(counts()).toEqual({ pings: 1, stalls: 1 })
})

test('leaves a core that answers late alone', async () => {
  const { clock, answer, counts } = watching()
  for (let round = 0; round < 20; round++) {
    await clock.advance(25_000)
    answer()
  }
  expect(counts().stalls).toBe(0)
})
