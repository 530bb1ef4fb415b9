import { expect, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { createNetworkWatch } from '#electron/core/service/client/network-watch.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

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
