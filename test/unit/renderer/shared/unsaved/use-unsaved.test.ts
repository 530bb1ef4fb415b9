import { expect, it } from 'vitest'
import { effectScope } from 'vue'
import { useUnsaved } from '../../../../../renderer/src/shared/unsaved/use-unsaved.ts'

it.each([
  ['another page', undefined, true],
  ['its part of the page', ['section', 'page'], true],
  ['a filter of the page', ['status'], false],
  ['nothing', [], false],
])('asks when %s changes only if that discards the text', async (_what, changed, asks) => {
  const scope = effectScope()
  const unsaved = scope.run(useUnsaved)!
  let isDirty = false
  scope.run(() => unsaved.guard({ words: 'Your note', isDirty: () => isDirty, byQuery: ['section'] }))
  expect(await unsaved.mayLeave(changed)).toBe(true)
  isDirty = true
  const may = unsaved.mayLeave(changed)
  expect(unsaved.asking.value).toBe(asks ? 'Your note' : null)
  unsaved.answer(false)
  expect(await may).toBe(!asks)
  scope.stop()
})
