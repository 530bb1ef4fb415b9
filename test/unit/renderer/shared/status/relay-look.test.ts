import { expect, test } from 'vitest'
import type { RelayStatus } from '#contract/live/listener.ts'
import { relayAdvice, relayLook } from '../../../../../renderer/src/shared/status/relay-look.ts'
import { relayStatus } from '../../../../helpers/relay-status.ts'

const nowMs = Date.parse('2026-01-05T12:00:00Z')
const relay = relayStatus()

test('says how far behind the relay is, and why it is not read', () => {
  expect(relayLook(relay)).toMatchObject({ tone: 'ok', label: 'Relay connected' })
  expect(relayAdvice(relay, nowMs)).toBe('')
  expect(relayLook({ ...relay, behind: 1_200 })).toMatchObject({
    tone: 'info',
    label: 'Relay: 1,200 behind',
  })
  const refused: RelayStatus = { ...relay, state: 'refused', refusal: 'revoked' }
  expect(relayLook(refused)).toMatchObject({ tone: 'bad', label: 'Relay token revoked' })
  expect(relayAdvice(refused, nowMs)).toContain('Create a new one at the relay')
  const away: RelayStatus = { ...relay, state: 'unreachable', retryAt: '2026-01-05T12:00:14Z' }
  expect(relayAdvice(away, nowMs)).toBe(
    'The relay doesn’t respond. If it runs, it keeps deliveries. Retrying in 14 s.',
  )
})
