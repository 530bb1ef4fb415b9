import type { ContactRow } from '#contract/people/contacts.ts'
import type { OfflineVerdict } from '#contract/people/dnc.ts'
import { expect, test } from 'vitest'
import { blockOf, shownVerdict } from '../../../../../renderer/src/shared/format/dnc-list.ts'

test.each<[ReturnType<typeof blockOf>, Pick<ContactRow, 'dnc' | 'held' | 'unsure'>]>([
  [null, { dnc: false, held: false, unsure: [] }],
  ['dnc', { dnc: true, held: false, unsure: [] }],
  ['dnc', { dnc: true, held: true, unsure: ['held'] }],
  ['held', { dnc: false, held: true, unsure: [] }],
  ['held', { dnc: true, held: true, unsure: ['dnc'] }],
  ['maybe', { dnc: true, held: false, unsure: ['dnc'] }],
  ['maybe', { dnc: true, held: true, unsure: ['dnc', 'held'] }],
])('gives %j as the surest reason of %j', (block, contact) => {
  expect(blockOf(contact)).toBe(block)
})

test.each<[ReturnType<typeof shownVerdict>, Pick<OfflineVerdict, 'verdict' | 'source'>]>([
  ['clear', { verdict: 'clear', source: 'none' }],
  ['blocked', { verdict: 'blocked', source: 'dnc' }],
  ['blocked', { verdict: 'blocked', source: 'hold' }],
  ['maybe-listed', { verdict: 'not-known', source: 'dnc' }],
  ['maybe-listed', { verdict: 'not-known', source: 'hold' }],
  ['not-known', { verdict: 'not-known', source: 'none' }],
  ['unparsable', { verdict: 'unparsable', source: 'none' }],
])('shows %s for %j', (shown, verdict) => {
  expect(shownVerdict(verdict)).toBe(shown)
})
