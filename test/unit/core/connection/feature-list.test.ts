import { describe, expect, it } from 'vitest'
import { createLifecycle, featuresOver, type Opened } from '#electron/core/connection/feature-list.ts'
import { features, startOrder, stopOrder } from '#electron/core/connection/features.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'

const base = { city: 'Bern', logOf: () => quietLog }

it('opens each feature with the base and the services before it', () => {
  const list = featuresOver<typeof base>()
    .add('street', ({ city }) => ({ service: { name: `Gasse, ${city}` } }))
    .add('house', ({ street }) => ({ service: { address: `7 ${street.name}` } }), { get: 'handler' })
  expect(list.names).toEqual(['street', 'house'])
  expect(list.handlers).toEqual({ house: { get: 'handler' } })
  expect(list.open(base).services.house.address).toBe('7 Gasse, Bern')
})

describe('a lifecycle', () => {
  const ran: string[] = []
  const step = (name: string) => () => void ran.push(name)
  const feature = (name: string): Opened<null> => ({
    service: null,
    start: step(`${name}.start`),
    stop: (reason) => void ran.push(`${name}.stop ${reason}`),
    close: step(`${name}.close`),
  })
  const opened = new Map([
    ['a', feature('a')],
    ['b', feature('b')],
  ])
  const order = ['b.stop', 'a.stop', 'client.close', 'a.close', 'b.close']
  const others = { 'client.close': step('client.close') }

  it('starts and stops in the given orders and passes the reason on', async () => {
    ran.length = 0
    const lifecycle = createLifecycle(opened, ['b', 'a'], order, others)
    await lifecycle.start()
    await lifecycle.stop('switched')
    expect(ran).toEqual([
      ...['b.start', 'a.start'],
      ...['b.stop switched', 'a.stop switched', 'client.close', 'a.close', 'b.close'],
    ])
  })

  it('takes every step although one fails, then reports the failure', async () => {
    ran.length = 0
    const fails: Opened<null> = { service: null, stop: () => Promise.reject(new Error('stuck')) }
    const lifecycle = createLifecycle(new Map([...opened, ['b', fails]]), ['a'], order, others)
    await expect(lifecycle.stop()).rejects.toMatchObject({ errors: [new Error('stuck')] })
    expect(ran).toEqual(['a.stop undefined', 'client.close', 'a.close'])
  })

  it('refuses a feature that an order forgot', () => {
    expect(() => createLifecycle(opened, ['a'], order, others)).toThrow('b is not in the start order')
    expect(() => createLifecycle(opened, ['a', 'b'], order.slice(1), others)).toThrow('b.stop')
    expect(() => createLifecycle(opened, ['a', 'b'], order.slice(0, 2), others)).toThrow('client.close')
  })
})

describe('the features of a connection', () => {
  const isBefore = (order: readonly string[], earlier: string, later: string) => {
    expect(order).toContain(earlier)
    expect(order.indexOf(later)).toBeGreaterThan(order.indexOf(earlier))
  }

  it('have a name each', () => {
    expect(new Set(features.names).size).toBe(features.names.length)
  })

  it('hold opt-outs before the outbox sends, and start the listener before what reads its journal', () => {
    isBefore(startOrder, 'optOuts', 'outbox')
    for (const reader of ['events', 'inbox', 'retention']) isBefore(startOrder, 'listener', reader)
  })

  it('begin nothing more before the client closes, and settle after it', () => {
    for (const name of ['campaigns', 'tasks', 'outbox']) isBefore(stopOrder, `${name}.stop`, 'client.close')
    for (const name of ['campaigns', 'outbox', 'contactStore'])
      isBefore(stopOrder, 'client.close', `${name}.close`)
  })

  it('take deliveries until imports have ended and nothing reads the journal', () => {
    for (const step of ['tasks.stop', 'contactStore.close', 'retention.stop', 'inbox.stop', 'events.stop'])
      isBefore(stopOrder, step, 'listener.stop')
  })
})
