import { expect, it } from 'vitest'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { everyone } from '../../../../helpers/contact-files.ts'
import { createFastDayClock } from '../../../../helpers/fast-clock.ts'
import { runRelay } from '../../../../helpers/relay.ts'
import { connectByKey, startInSandbox, startTestCore } from '../../../../helpers/test-core.ts'

/** Requests of each console. `SWITCHBOARD_TEAM_REQUESTS=1000` runs it at full size; see test/README.md. */
const requests = Number(process.env['SWITCHBOARD_TEAM_REQUESTS'] ?? 70)
const isFull = requests >= 1_000
const limitPerMinute = 200

it('three consoles share the rate limit: all is sent, nothing answered 429, and colleagues see the work', async () => {
  const clock = createFastDayClock(isFull ? 5 : 20, { keepDeadlines: true })
  const sandbox = { rateLimitPerMinute: limitPerMinute, contactsCount: 1, clock }
  const first = await startInSandbox({ sandbox, clock })
  const others = [1, 2].map(() => startTestCore({ sandbox: null, clock }))
  const consoles = [first, ...(await Promise.all(others))]
  const relay = await runRelay({}, undefined, clock)
  for (const [at, { rpc }] of consoles.entries()) {
    if (at > 0) await connectByKey({ rpc, sandbox: first.sandbox })
    const token = await addToken(openFolder(relay.dataDir), `console-${at}`, 'main', 1)
    await rpc.listener.setRelay({ mode: 'both', url: relay.url, inbox: 'main', token })
    await rpc.team.join({ name: `Console ${at}`, key: 'k'.repeat(43) })
    for (let n = 0; n < requests; n++) {
      const phone = `+1415555${String(at * 1_000 + n).padStart(4, '0')}`
      await rpc.contacts.create({ name: `Person ${n}`, phone, email: '', tags: {} })
    }
  }
  const { requests: requestsBefore, perStatus } = first.sandbox.stats()
  const before = perStatus['201'] ?? 0
  const startMs = clock.monotonic()
  await Promise.all(
    consoles.map(({ rpc }) => rpc.contacts.push({ selection: everyone, uncheckedKnowingly: true })),
  )
  let most = 0
  const watching = new AbortController()
  const watched = (async () => {
    for await (const { here } of await first.rpc.team.watch(undefined, { signal: watching.signal }))
      most = Math.max(most, here.filter(({ total }) => total > 0).length)
  })().catch(() => {})
  let longestClickMs = 0
  const done = async () => (first.sandbox.stats().perStatus['201'] ?? 0) - before
  while ((await done()) < 3 * requests) {
    const askedMs = clock.monotonic()
    await first.rpc.templates.channels()
    longestClickMs = Math.max(longestClickMs, clock.monotonic() - askedMs)
    await clock.sleep(5_000)
  }
  const minutes = (clock.monotonic() - startMs) / 60_000
  const usedPerMinute = (first.sandbox.stats().requests - requestsBefore) / minutes
  watching.abort()
  await watched
  expect(most).toBe(3)
  expect(first.sandbox.stats().perStatus['429']).toBeUndefined()
  if (!isFull) return
  expect(longestClickMs).toBeLessThan(1_000)
  expect(usedPerMinute).toBeGreaterThan(limitPerMinute * 0.95)
}, 600_000)
