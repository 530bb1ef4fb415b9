import { expect, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { createNetworkWatch } from '#electron/core/service/client/network-watch.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

test('takes 20 seconds of nothing but 5xx for an outage', async () => {
  const clock = createFakeClock()
  const network = createNetworkWatch(clock, () => {})
  const fail = () => network.serverFailed(new AppError('SERVICE_FAILED', { host: 'x' }))
  network.answered()
  for (let n = 0; n < 2; n++) {
    fail()
    await clock.advance(15_000)
    fail()
    expect(network.state().reachable).toBe(true)
    // Another endpoint works.
    network.answered()
  }
  // Two failures far apart, with no request between.
  fail()
  await clock.advance(3_600_000)
  fail()
  expect(network.state().reachable).toBe(true)
  await clock.advance(20_000)
  fail()
  expect(network.state()).toMatchObject({ reachable: false, problem: { code: 'SERVICE_FAILED' } })
  network.answered()
  expect(network.state()).toMatchObject({ reachable: true, problem: null })
})

test.each([
  ['', null],
  ['answered', true],
  ['failed', false],
  ['answered failed', true],
  ['answered failed failed', false],
  ['answered failed answered failed', true],
  ['failed answered', true],
])(
  'takes one failure after an answer for a broken connection, and a second for an outage: %s',
  (seen, is) => {
    const network = createNetworkWatch(createFakeClock(), () => {})
    for (const one of seen.split(' '))
      if (one === 'answered') network.answered()
      else if (one === 'failed') network.failed(new AppError('SERVICE_UNREACHABLE', { host: 'x' }))
    const { reachable, problem } = network.state()
    expect([reachable, problem !== null]).toEqual([is, is === false])
  },
)
