import { expect, test } from 'vitest'
import {
  foreignPlaceholders,
  placeholdersOf,
  renderTemplate,
  templateProblems,
  unusualNames,
} from '#contract/template-text.ts'

test('finds placeholders once each, trimmed, in order', () => {
  expect(placeholdersOf('{{b}} {{ a }} {{a}} {c} {{first name}}')).toEqual(['b', 'a', 'first name'])
})

test('fills a text with the given values and shows the missing ones', () => {
  const values = new Map<string, string | number>([
    ['name', 'Zoë $& {{points}}'],
    ['points', 0],
  ])
  expect(renderTemplate('{{ name }} has {{points}} of {{all}}', values)).toBe(
    'Zoë $& {{points}} has 0 of {{all}}',
  )
})

test('names the faults of a template before it is sent', () => {
  const name = { name: 'name', type: 'string' as const }
  expect(templateProblems('A', 'Hi {{name}}', [name])).toEqual([])
  expect(templateProblems(' ', '', [])).toEqual([{ key: 'template.noName' }, { key: 'template.noText' }])
  expect(templateProblems('A', 'Hi {{name}} {{day}}', [name])).toEqual([
    { key: 'template.unlisted', name: 'day' },
  ])
  expect(templateProblems('A', 'Hi', [name]), 'a variable may be unused').toEqual([])
  expect(templateProblems('A', 'Hi {{name}} {{', [name])).toEqual([
    { key: 'template.unclosed', braces: '{{' },
  ])
  expect(templateProblems('A', 'Hi {{ }}', [])).toEqual([{ key: 'template.unnamed' }])
})

test('finds names that a service may reject', () => {
  expect(unusualNames(['name', '_a1', 'first name', 'prénom', '1st', 'x'.repeat(65)])).toEqual([
    'first name',
    'prénom',
    '1st',
    'x'.repeat(65),
  ])
})

test('finds placeholders of other programs, which are sent as written', () => {
  const body =
    'Hi {{name}} {vorname} ${code} [studio] <<ort>> %RABATT% *|FNAME|*, 20% off [see terms] https://x.example/caf%C3%A9 {{{x}}} a < b > c'
  expect(foreignPlaceholders(body)).toEqual([
    '{vorname}',
    '${code}',
    '[studio]',
    '<<ort>>',
    '%RABATT%',
    '*|FNAME|*',
  ])
})
