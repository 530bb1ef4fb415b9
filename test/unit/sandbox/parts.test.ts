import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { seededTenants } from '#electron/sandbox/accounts.ts'
import { readCliOptions, usage } from '#electron/sandbox/cli-options.ts'
import { createMessageStore, type StoredMessage } from '#electron/sandbox/message-store.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { createRateWindows } from '#electron/sandbox/rate-window.ts'

describe('the message store', () => {
  const message = (id: number, status: StoredMessage['status']) =>
    ({ id: String(id), status, createdMs: id }) as StoredMessage

  test('drops the oldest finished message over its cap and never one in flight', () => {
    const store = createMessageStore(5)
    store.add(message(0, 'pending'))
    for (let i = 1; i <= 20; i++) store.add(message(i, i === 2 ? 'submitted' : 'delivered'))
    expect(store.all().map(({ id }) => id)).toEqual(['0', '2', '18', '19', '20'])
    expect(store.page(0, 1).total).toBe(5)
    expect(store.get('1')).toBeUndefined()
    expect(store.get('2')?.id).toBe('2')
  })

  test('pages newest first, of all or one status, even after thousands were dropped', () => {
    const store = createMessageStore(1_000)
    for (let i = 0; i < 60_100; i++) store.add(message(i, i % 2 ? 'failed' : 'delivered'))
    // Dropped 100 and one at a time, so 15 are more than the cap.
    expect(store.page(0, 3)).toMatchObject({
      total: 1_015,
      items: [{ id: '60099' }, { id: '60098' }, { id: '60097' }],
    })
    expect(store.page(1_014, 3).items.map(({ id }) => id)).toEqual(['59085'])
    expect(store.page(1, 2, 'failed')).toMatchObject({
      total: 508,
      items: [{ id: '60097' }, { id: '60095' }],
    })
  })
})

test('a rate window does not lock a tenant out when the clock is set back', () => {
  const clock = createFakeClock()
  const { take } = createRateWindows(clock, 1)
  take('a')
  clock.jumpWall(-86_400_000)
  expect(take('a').limited).toBe(false)
})

describe('the command line', () => {
  test('has defaults and takes every flag of its usage', () => {
    expect(readCliOptions([])).toMatchObject({
      kind: 'run',
      options: {
        port: 8480,
        seed: 1,
        ratePerSecond: 20,
        dncCount: 250,
        rateLimitPerMinute: 200,
        accessTokenSeconds: 900,
      },
    })
    const given =
      '--port 0 --seed 5 --rate 100 --dnc 9 --contacts 3 --fault slow --state s.json --no-rate-limit ' +
      '--access-token-seconds 15 --no-traffic --allow-remote-webhooks'
    const all = given.split(' ')
    expect(readCliOptions(all)).toEqual({
      kind: 'run',
      options: {
        port: 0,
        seed: 5,
        ratePerSecond: 100,
        dncCount: 9,
        contactsCount: 3,
        fault: 'slow',
        stateFile: 's.json',
        rateLimitPerMinute: null,
        accessTokenSeconds: 15,
        traffic: false,
        history: false,
        allowRemoteWebhooks: true,
      },
    })
    for (const flag of all.filter((word) => word.startsWith('--'))) expect(usage).toContain(flag)
    expect(readCliOptions(['--help'])).toEqual({ kind: 'help' })
  })

  test.each([
    [['--bogus'], /bogus/],
    [['positional'], /positional/],
    [['--port'], /port/],
    [['--port', '70000'], /--port must be a whole number from 0 to 65535/],
    [['--port=-1'], /--port/],
    [['--seed', '1.5'], /--seed/],
    [['--fault', 'gremlins'], /no fault "gremlins"/],
    [['--no-rate-limit', '--rate-limit', '5'], /contradict/],
    [['--state', ''], /--state/],
  ])('refuses %j with a message', (args, words) => {
    expect(readCliOptions(args)).toEqual({ kind: 'refused', message: expect.stringMatching(words) })
  })
})

test('the README names every seeded user', () => {
  const readme = readFileSync('electron/sandbox/README.md', 'utf8').replace(/ +/g, ' ')
  for (const { users } of seededTenants)
    for (const { username, password, role } of users)
      expect(readme).toContain(`| ${username} | ${password} | ${role} |`)
})
