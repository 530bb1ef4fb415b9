import { expect, test } from 'vitest'
import { templateWarning } from '../../../../renderer/src/features/templates/send-words.ts'

test('a send is warned of by what the service said of the template, and by the states that the connection calls sendable', () => {
  expect(templateWarning({ state: 'known', status: 'active' }, ['active'])).toBeNull()
  expect(templateWarning({ state: 'known', status: null }, ['active'])).toBeNull()
  expect(templateWarning({ state: 'known', status: 'approved' }, ['active'])).toContain('“approved”')
  expect(templateWarning({ state: 'known', status: 'approved' }, ['active', 'approved'])).toBeNull()
  expect(templateWarning({ state: 'not-found', status: 'active' }, ['active'])).toContain('refused')
  expect(templateWarning({ state: 'deletion-unknown', status: 'active' }, ['active'])).toContain('deletion')
})
