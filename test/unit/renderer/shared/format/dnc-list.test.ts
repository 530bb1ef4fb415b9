import type { ContactRow } from '#contract/people/contacts.ts'
import { expect, test } from 'vitest'
import { blockOf } from '../../../../../renderer/src/shared/format/dnc-list.ts'

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
