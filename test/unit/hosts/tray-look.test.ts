import { expect, test } from 'vitest'
import { trayLook } from '#electron/hosts/electron/tray-look.ts'
import { ordinaryStatus } from '../../helpers/scripted-answers.ts'

const status = ordinaryStatus()

test.each([
  ['listening', status, 'listening'],
  ['offline', { ...status, connection: null }, 'no connection'],
  ['offline', { ...status, network: { ...status.network, reachable: false } }, 'cannot be reached'],
  ['offline', { ...status, listener: { ...status.listener, state: 'stopped' as const } }, 'not listening'],
  ['trouble', { ...status, listener: { ...status.listener, state: 'failed' as const } }, 'listener down'],
  ['trouble', { ...status, session: { ...status.session, state: 'expired' as const } }, 'signed out'],
  ['trouble', null, 'not responding'],
] as const)('the tray is %s', (state, given, words) => {
  expect(trayLook(given)).toMatchObject({ state, text: expect.stringContaining(words) })
})

test('a listener that is down is told before a service that cannot be reached', () => {
  const both = {
    ...status,
    network: { ...status.network, reachable: false },
    listener: { ...status.listener, state: 'failed' as const },
  }
  expect(trayLook(both).state).toBe('trouble')
})
