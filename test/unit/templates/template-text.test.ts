import { expect, test } from 'vitest'
import { placeholdersOf, renderTemplate, templateProblems } from '#contract/template-text.ts'

test('placeholders are found once each, trimmed, in their order', () => {
  expect(placeholdersOf('{{b}} {{ a }} {{a}} {c} {{first name}}')).toEqual(['b', 'a', 'first name'])
})

test('a text is filled with what there is, and shows what there is not', () => {
  const values = new Map<string, string | number>([
    ['name', 'Zoë $& {{points}}'],
    ['points', 0],
  ])
  expect(renderTemplate('{{ name }} has {{points}} of {{all}}', values)).toBe(
    'Zoë $& {{points}} has 0 of {{all}}',
  )
})

test('what is wrong with a template is said before it is sent', () => {
  const name = { name: 'name', type: 'string' as const }
  expect(templateProblems('A', 'Hi {{name}}', [name])).toEqual([])
  expect(templateProblems(' ', '', [])).toEqual(['The template has no name.', 'The template has no text.'])
  expect(templateProblems('A', 'Hi {{name}} {{day}}', [name])).toEqual([
    'The text uses day, which is not among the variables.',
  ])
  expect(templateProblems('A', 'Hi', [name])).toEqual(['The variable name is not used in the text.'])
  expect(templateProblems('A', 'Hi {{name}} {{', [name])).toEqual(['Two opening braces are not closed.'])
  expect(templateProblems('A', 'Hi {{ }}', [])).toEqual(['A pair of braces has no name in it.'])
})
