import { secretText } from '../../../../../renderer/src/features/webhooks/subscription-columns.ts'
import { describe, expect, it } from 'vitest'
import type { Subscription } from '#contract/live/webhooks.ts'
import {
  destinationOf,
  healthOf,
  missingText,
} from '../../../../../renderer/src/features/webhooks/subscription-health.ts'
import { refreshPeriodMs } from '../../../../../renderer/src/features/webhooks/use-webhooks.ts'
import { tunnelExamples } from '../../../../../renderer/src/features/webhooks/tunnel-examples.ts'

const here = 'http://127.0.0.1:8787/webhooks'

describe('where a subscription delivers', () => {
  it('is “here” only at the listener’s current address', () => {
    expect(destinationOf(here, here)).toEqual({ kind: 'here' })
    expect(destinationOf('http://localhost:8787/webhooks', here)).toEqual({ kind: 'here' })
    expect(destinationOf(here, 'http://0.0.0.0:8787/webhooks')).toEqual({ kind: 'here' })
    const moved = { kind: 'wrong-place', place: '127.0.0.1:8787' }
    expect(destinationOf(here, 'http://127.0.0.1:9000/webhooks')).toEqual(moved)
    expect(destinationOf(here, null)).toEqual(moved)
  })

  it('is in the wrong place if the path or the protocol differs', () => {
    const place = { kind: 'wrong-place', place: '127.0.0.1:8787/old' }
    expect(destinationOf('http://127.0.0.1:8787/old', here)).toEqual(place)
    expect(destinationOf('https://127.0.0.1:8787/webhooks', here).kind).toBe('wrong-place')
  })

  it('is elsewhere at a public address, which may lead here, and at an invalid one', () => {
    expect(destinationOf('https://hooks.example.com/a', here)).toEqual({ kind: 'elsewhere' })
    expect(destinationOf('', null)).toEqual({ kind: 'elsewhere' })
  })
})

const subscription = (change: Partial<Subscription> = {}): Subscription => ({
  id: 'a',
  url: here,
  events: ['dlr', 'mo'],
  families: ['dlr', 'mo'],
  status: 'active',
  createdAt: null,
  pointsHere: false,
  secretKnown: true,
  secretInMemory: false,
  arrived: { count: 0, lastAt: null, since: null },
  ...change,
})
const well = { silence: null, isReachable: true }
const problemsOf = (...all: Subscription[]) =>
  healthOf(all, here, null, well).map(({ problems }) => problems.join(' '))

describe('the health of a subscription', () => {
  it('has no problem when active, with a known secret and alone', () => {
    expect(problemsOf(subscription())).toEqual([''])
    expect(problemsOf(subscription({ status: null }))).toEqual([''])
  })

  it('says whether it delivers to the listener, the relay or elsewhere', () => {
    const relay = 'https://relay.example/webhooks/main'
    const all = [
      subscription(),
      subscription({ url: relay, pointsHere: true }),
      subscription({ url: 'https://tunnel.example/webhooks', pointsHere: true }),
      subscription({ url: 'https://crm.example/hooks' }),
    ]
    expect(healthOf(all, here, relay, well).map(({ place }) => place)).toEqual([
      'This listener',
      'Relay',
      'This listener',
      'Other address',
    ])
  })

  it('names a status, a missing secret and unknown event names', () => {
    expect(problemsOf(subscription({ status: 'failed' }))[0]).toContain('“failed”')
    expect(problemsOf(subscription({ secretKnown: false }))[0]).toContain('rejected')
    expect(problemsOf(subscription({ families: [], events: ['x'] }))[0]).toContain('event names')
    const elsewhere = subscription({ url: 'https://a.example/w', secretKnown: false })
    expect(problemsOf(elsewhere)).toEqual([''])
  })

  it('calls two to one address duplicates only when they share events', () => {
    const twin = subscription({ id: 'b' })
    expect(problemsOf(subscription(), twin).every((problems) => problems.includes('twice'))).toBe(true)
    const dlr = subscription({ families: ['dlr'] })
    const mo = subscription({ id: 'b', families: ['mo'] })
    expect(problemsOf(dlr, mo)).toEqual(['', ''])
  })

  it('is good only while nothing says otherwise', () => {
    const all = [subscription(), subscription({ id: 'b', url: 'https://a.example/w' })]
    const looks = (receiving: Parameters<typeof healthOf>[3]) =>
      healthOf(all, here, null, receiving).map(({ look: { tone, label } }) => `${tone}: ${label}`)
    const silence = (kind: 'no-reports' | 'no-subscription') => ({
      silence: { kind, since: null, sent: 0, subscriptionId: null },
      isReachable: true,
    })
    const unknown = 'quiet: Unknown'
    expect(looks(well)).toEqual(['ok: OK', 'ok: OK'])
    expect(looks({ silence: null, isReachable: false })).toEqual([unknown, unknown])
    const noReports = 'bad: No delivery reports arrive although messages are sent.'
    expect(looks(silence('no-reports'))).toEqual([noReports, unknown])
    expect(looks(silence('no-subscription'))[1]).toBe(unknown)
  })

  it('counts only active ones with this address as delivering here', () => {
    const missing = (change: Partial<Subscription> = {}) =>
      missingText(healthOf([subscription(change)], here, null, well))
    expect(missing()).toBe(null)
    expect(missing({ status: 'paused' })).toContain(
      'for delivery reports and inbound messages. None will arrive',
    )
    expect(missing({ families: ['dlr'] })).toContain('for inbound messages. None will arrive')
    expect(missing({ url: 'https://a.example/w' })).toContain(
      'for delivery reports and inbound messages. Test the addresses',
    )
    // Through a relay or a tunnel, as the core knows.
    expect(missing({ url: 'https://a.example/w', pointsHere: true })).toBe(null)
    // A relay or a forwarder on this computer, at another port than the listener.
    const local = { url: 'http://127.0.0.1:9999/webhooks', pointsHere: true }
    expect(missing(local)).toBe(null)
    expect(problemsOf(subscription(local))).toEqual([''])
    expect(missing({ ...local, pointsHere: false })).toContain('Test the addresses')
  })
})

it('refreshes the list less often the more pages it has', () => {
  expect([0, 100, 101].map(refreshPeriodMs)).toEqual([60_000, 60_000, 120_000])
})

it('puts the listener’s port and path into the tunnel examples', () => {
  for (const { text } of tunnelExamples('http://127.0.0.1:8791/hooks/a')) {
    expect(text).toContain('8791')
    expect(text).toContain('/hooks/a')
  }
})

it('says where a secret is kept', () => {
  expect(secretText(subscription({}))).toBe('Stored')
  expect(secretText(subscription({ secretInMemory: true }))).toBe('In memory')
  expect(secretText(subscription({ secretKnown: false }))).toBe('Missing')
})
