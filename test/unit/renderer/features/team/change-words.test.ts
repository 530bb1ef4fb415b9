import { expect, test } from 'vitest'
import type { TeamChange } from '#contract/live/team.ts'
import { changeText, detailText } from '../../../../../renderer/src/features/team/change-words.ts'

const plain = { id: '1', at: '2026-11-29T10:00:00.000Z', by: 'Ben', text: '', count: 0 }
const campaign = { about: 'camp-1', text: 'Autumn sale' }

test.each([
  [{ what: 'hold', about: '+14155550101' }, 'Removed the hold of +1 415 555 0101', ''],
  [{ what: 'hold', about: '', isRemoved: false }, 'Put a number on hold', ''],
  [{ what: 'other', about: 'x' }, 'A change that needs a newer version', ''],
  [{ what: 'assigned', about: '+14155550101' }, 'A change that needs a newer version', ''],
  [{ what: 'alert-rule', about: '' }, 'Removed the default alert rule', ''],
  [{ what: 'alert-rule', about: 'camp-1' }, 'Removed the alert rule of campaign camp-1', ''],
  [{ what: 'alert-rule', about: 'camp-1', isRemoved: false }, 'Set the alert rule of campaign camp-1', ''],
  [{ what: 'auto-pause', ...campaign, isRemoved: false }, 'Paused Autumn sale by an alert rule', ''],
  [{ what: 'note', about: 'x', text: 'Hi', isRemoved: false }, 'Noted something on x’s conversation', 'Hi'],
] as const)('says what %j changed', (change, text, detail) => {
  const shown: TeamChange = { ...plain, isRemoved: true, ...change }
  expect([changeText(shown), detailText(shown)]).toEqual([text, detail])
})
