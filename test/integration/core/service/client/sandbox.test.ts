import { expect, onTestFinished, test } from 'vitest'
import { createSandbox } from '#electron/sandbox/create-sandbox.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { bulk, operator, startClient } from './client-under-test.ts'

/** A client at a sandbox: each has its own reading of the spec. */
async function atSandbox(rateLimitPerMinute: number | null = null) {
  const clock = createFakeClock(Date.now())
  const small = { traffic: false, contactsCount: 0, dncCount: 0 }
  const sandbox = await createSandbox({ ...small, rateLimitPerMinute, clock })
  const { client, stop } = await startClient({ credential: 'password', baseUrl: sandbox.baseUrl, clock })
  onTestFinished(() => sandbox.stop())
  onTestFinished(stop)
  const { username, password } = sandbox.tenants[0]!
  await client.auth.login({ username, password }, operator)
  return { sandbox, client, clock }
}

test('500 bulk calls use 95 % of the real limit with at most 1 % 429, and operators wait under a second', async () => {
  const { client, clock } = await atSandbox(200)
  const startedMs = clock.monotonic()
  let isDone = false
  const waits: number[] = []
  const work = Promise.all(
    Array.from({ length: 500 }, () => client.errorCodes.search({ text: '1' }, bulk)),
  ).then(() => (isDone = true))
  for (let step = 0; !isDone; step++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    await clock.advance(50)
    if (step % 200 === 100) {
      const askedMs = clock.monotonic()
      void client.dashboard.get(operator).then(() => waits.push(clock.monotonic() - askedMs))
    }
  }
  await work
  const minutes = (clock.monotonic() - startedMs) / 60_000
  expect((500 + waits.length) / (200 * minutes)).toBeGreaterThan(0.95)
  expect(waits.length).toBeGreaterThan(10)
  expect(Math.max(...waits)).toBeLessThan(1_000)
  expect(client.budget.snapshot()).toMatchObject({ limitPerMinute: 200, usedByOthers: 0 })
})
