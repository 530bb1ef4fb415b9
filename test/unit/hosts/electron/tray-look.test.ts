import { afterEach, expect, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { viewOf } from '#electron/core/platform/rpc/errors.ts'
import { setHostLanguage } from '#electron/hosts/texts.ts'
import { trayLook } from '#electron/hosts/electron/tray-look.ts'
import { ordinaryStatus } from '../../../helpers/scripted-answers.ts'

const status = ordinaryStatus()
afterEach(() => setHostLanguage('en'))

test.each([
  ['listening', status, 'listening'],
  ['offline', { ...status, connection: null }, 'not connected'],
  ['offline', { ...status, network: { ...status.network, reachable: false } }, 'service unreachable'],
  ['offline', { ...status, listener: { ...status.listener, state: 'stopped' as const } }, 'not listening'],
  ['trouble', { ...status, listener: { ...status.listener, state: 'failed' as const } }, 'listener down'],
  [
    'trouble',
    { ...status, listener: { ...status.listener, problem: viewOf(new AppError('DISK_FULL')) } },
    'listener down',
  ],
  ['trouble', { ...status, session: { ...status.session, state: 'expired' as const } }, 'signed out'],
  ['trouble', null, 'not responding'],
] as const)('the tray is %s', (state, given, words) => {
  expect(trayLook(given)).toMatchObject({ state, text: expect.stringContaining(words) })
})

test('shows a listener that is down before an unreachable service', () => {
  const both = {
    ...status,
    network: { ...status.network, reachable: false },
    listener: { ...status.listener, state: 'failed' as const },
  }
  expect(trayLook(both).state).toBe('trouble')
})

test('names another connection that needs attention, unless the one in front is worse', () => {
  expect(trayLook(status, ['Acme staging'])).toEqual({
    state: 'trouble',
    text: 'Switchboard, Acme staging: needs attention',
  })
  const down = { ...status, listener: { ...status.listener, state: 'failed' as const } }
  expect(trayLook(down, ['Acme staging']).text).toContain('Acme production')
})
