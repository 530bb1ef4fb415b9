import { expect, test } from 'vitest'
import { templateWarning } from '../../../../../renderer/src/features/templates/send-words.ts'

test('warns of templates that are missing, possibly deleted, or in a status that can’t be sent', () => {
  expect(templateWarning({ state: 'known', status: 'active' }, ['active'])).toBeNull()
  expect(templateWarning({ state: 'known', status: null }, ['active'])).toBeNull()
  expect(templateWarning({ state: 'known', status: 'approved' }, ['active'])).toContain('“approved”')
  expect(templateWarning({ state: 'known', status: 'approved' }, ['active', 'approved'])).toBeNull()
  expect(templateWarning({ state: 'not-found', status: 'active' }, ['active'])).toContain('rejected')
  expect(templateWarning({ state: 'deletion-unknown', status: 'active' }, ['active'])).toContain('deletion')
})
