import { expect, test } from 'vitest'
import type { ConnectionActivity } from '#contract/connection/connections.ts'
import {
  addressOf,
  attentionOf,
  dncLook,
  figureOf,
  figures,
  pathOf,
  receiverLooks,
} from '../../../../../renderer/src/features/connections/connection-rows.ts'
import { errorView } from '../../../../../renderer/src/rpc/error-view.ts'
import { connectionLook } from '../../../../../renderer/src/shared/connections/use-connection-activity.ts'
import { activityOf, connections } from '../../../../helpers/scripted-answers.ts'
import { relayStatus } from '../../../../helpers/relay-status.ts'

const nowMs = Date.parse('2026-01-05T12:00:00Z')
const relay = relayStatus({ state: 'refused', refusal: 'revoked' })
const connectionWith = (changes: Partial<ConnectionActivity> = {}) => activityOf(connections[1]!, changes)

test('says where a refused relay receives, and what to do about it', () => {
  const refused = connectionWith({
    listener: { ...connectionWith().listener, state: 'failed', url: null, relay },
  })
  expect(receiverLooks(refused).map(({ label }) => label)).toEqual(['Relay token revoked'])
  expect([pathOf(refused), addressOf(refused)]).toEqual(['/webhooks/main', relay.webhookUrl])
  expect(attentionOf(refused, nowMs)).toEqual([expect.stringContaining('The token was revoked')])
})

test('names each thing that needs attention, and nothing while all is well', () => {
  const { listener } = connectionWith()
  expect(attentionOf(connectionWith(), nowMs)).toEqual([])
  expect(
    attentionOf(connectionWith({ alerts: 1, listener: { ...listener, refusedLastMinute: 25 } }), nowMs),
  ).toEqual(['25 deliveries rejected in the last minute', '1 alert rule triggered'])
})

test('shows an alarm of another connection as bad, and only rejected deliveries as a warning', () => {
  const { listener } = connectionWith()
  const silence = {
    kind: 'no-reports',
    since: '2026-01-05T11:00:00Z',
    sent: 90,
    subscriptionId: null,
  } as const
  const tone = (changes: Partial<ConnectionActivity>) => connectionLook(connectionWith(changes)).tone
  expect(tone({})).toBe('ok')
  expect(tone({ listener: { ...listener, silence } })).toBe('bad')
  expect(tone({ alerts: 1 })).toBe('bad')
  expect(tone({ state: 'signed-out' })).toBe('quiet')
  expect(tone({ state: 'signed-out', problem: errorView('SIGN_IN_LOST', { at: '14:02' }) })).toBe('bad')
  expect(tone({ listener: { ...listener, refusedLastMinute: 2 } })).toBe('warn')
  const away = { ...relay, state: 'connecting', refusal: null } as const
  expect(tone({ listener: { ...listener, relay: away } })).toBe('ok')
  expect(tone({ listener: { ...listener, relay: away, url: null, state: 'failed' } })).toBe('bad')
})

test('has no figure and no receiver while a connection is not open', () => {
  const off = connectionWith({ state: 'off' })
  expect(figures.map((column) => figureOf(column, off))).toEqual(figures.map(() => '–'))
  expect(receiverLooks(off)).toEqual([])
})

test('shows a listener as good once a delivery arrived', () => {
  const { listener } = connectionWith()
  const toneAfter = (lastDeliveryAt: string | null) =>
    receiverLooks(connectionWith({ listener: { ...listener, lastDeliveryAt } })).map(({ tone }) => tone)
  expect([toneAfter(null), toneAfter('2026-01-05T11:00:00Z')]).toEqual([['quiet'], ['ok']])
})

test('shows only a fresh DNC copy as good', () => {
  const tones = (['fresh', 'stale', 'partial', 'never'] as const).map(
    (state) => dncLook({ state, asOf: '2026-01-05T10:00:00Z', teamReadAt: null, waits: null }, nowMs).tone,
  )
  expect(tones).toEqual(['ok', 'warn', 'warn', 'warn'])
})
