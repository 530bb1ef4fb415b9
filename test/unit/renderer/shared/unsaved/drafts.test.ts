import { expect, it } from 'vitest'
import { drafts } from '../../../../../renderer/src/shared/unsaved/drafts.ts'

it('keeps the newest 50 drafts, by connection and name', () => {
  for (let at = 0; at < 60; at++) drafts.put('one', `note/${at}`, `text ${at}`)
  drafts.put('one', 'note/10', 'changed')
  drafts.put('two', 'note/11', 'of two')
  expect(drafts.get('one', 'note/10')).toBe('changed')
  expect(drafts.get('one', 'note/11')).toBeUndefined()
  expect(drafts.get('one', 'note/12')).toBe('text 12')
  drafts.put('one', 'note/12', undefined)
  expect(drafts.get('one', 'note/12')).toBeUndefined()
  drafts.forget('one')
  expect(drafts.get('one', 'note/10')).toBeUndefined()
  expect(drafts.get('two', 'note/11')).toBe('of two')
  drafts.forget('two')
})
