import { expect, it } from 'vitest'
import { refusalWords } from '../../../../../renderer/src/shared/format/refusals.ts'
import { listenerLook, listenerProblemText } from '../../../../../renderer/src/shared/status/listener-look.ts'
import { relayStatus } from '../../../../helpers/relay-status.ts'
import { ordinaryStatus } from '../../../../helpers/scripted-answers.ts'

const { listener } = ordinaryStatus()

it('turns amber with the reason while deliveries are rejected', () => {
  expect(listenerLook(listener, true)).toMatchObject({ tone: 'ok', label: 'Listening' })
  // Nothing is proven yet.
  expect(listenerLook({ ...listener, lastDeliveryAt: null }, true)).toMatchObject({ tone: 'quiet' })
  const refusing = { ...listener, refusedLastMinute: 1_400, lastRefusalReason: 'signature-mismatch' }
  expect(listenerLook(refusing, true)).toMatchObject({
    tone: 'warn',
    label: 'Listening · 1,400 rejected in the last minute, last: wrong signature',
  })
  expect(listenerLook({ ...refusing, refusedLastMinute: 1 }, true).label).toBe(
    'Listening · 1 rejected in the last minute: wrong signature',
  )
  expect(listenerLook({ ...refusing, lastRefusalReason: null }, true).label).toBe(
    'Listening · 1,400 rejected in the last minute',
  )
})

it('does not claim to receive while deliveries can’t be stored or checked', () => {
  const problem = { code: 'KEYCHAIN_NO_BUS', acted: 'no' as const, data: {} }
  expect(listenerLook({ ...listener, problem, refusedLastMinute: 2 }, true)).toMatchObject({
    tone: 'bad',
    label: 'Not receiving',
  })
  expect(listenerProblemText(problem)).toMatch(/^The signing secrets were lost/)
})

it('names the relay only when no port is open', () => {
  const both = { ...listener, relay: relayStatus(), refusedLastMinute: 2, lastRefusalReason: null }
  const label = (of: object) => listenerLook({ ...both, ...of }, true).label
  expect(label({ url: null })).toBe('Relay connected · 2 rejected in the last minute')
  expect(label({})).toBe('Listening · 2 rejected in the last minute')
  expect(label({ url: null, state: 'stopped' })).toBe('Stopped')
})

it('shows that it can’t listen rather than what it rejected earlier', () => {
  const failed = { ...listener, state: 'failed' as const, refusedLastMinute: 3 }
  expect(listenerLook(failed, true)).toMatchObject({ tone: 'bad', label: 'Not listening' })
})

it('waits for a second list before it warns of a missing subscription', () => {
  const silence = { kind: 'unconfirmed', since: null, sent: 0, subscriptionId: null } as const
  const label = 'Checking subscriptions…'
  expect(listenerLook({ ...listener, silence }, true)).toMatchObject({ tone: 'quiet', label })
})

it('claims nothing while disconnected', () => {
  expect(listenerLook(listener, false)).toMatchObject({ tone: 'quiet', label: 'Unknown' })
})

it('has a text for every reason of the listener, and shows others as received', () => {
  for (const reason of [
    'path',
    'method',
    'browser',
    'length',
    'too-large',
    'signature-missing',
    'signature-malformed',
    'signature-mismatch',
    'no-secret',
    'timeout',
    'headers-too-large',
    'malformed',
    'too-many-connections',
  ])
    expect(refusalWords(reason)).toMatch(/ /)
  expect(refusalWords('toString')).toBe('toString')
})
