import { expect, test } from 'vitest'
import { fitSources } from '../../../../../renderer/src/features/templates/value-sources.ts'

const variables = [
  { name: 'code', type: 'string' as const },
  { name: 'shop', type: 'string' as const },
]
const of = (columns: readonly string[] | null) => ({ columns, hasNameColumn: true, tagKeys: ['shop'] })
const first = ['Phone', 'Voucher', 'shop']
const chosen = { code: { from: 'column' as const, column: 1 }, shop: { from: 'column' as const, column: 2 } }

test('finds a chosen column by its name in the next file', () => {
  const next = ['Phone', 'Remark', 'Voucher']
  expect(fitSources(chosen, variables, of(next), first)).toEqual({
    code: { from: 'column', column: 2 },
    shop: null,
  })
  expect(fitSources(chosen, variables, of(['Phone', 'Remark']), first)).toEqual({ code: null, shop: null })
})

test('keeps the choices for the same file, and while the next one is read', () => {
  expect(fitSources(chosen, variables, of(first), first)).toEqual(chosen)
  expect(fitSources(chosen, variables, of([]), first)).toEqual(chosen)
  const nameless = ['', '', '']
  expect(fitSources(chosen, variables, of(nameless), nameless)).toEqual(chosen)
})

test('replaces columns by tags for contacts, and keeps constants', () => {
  const constant = { from: 'constant' as const, value: 'X1' }
  expect(fitSources({ ...chosen, code: constant }, variables, of(null), first)).toEqual({
    code: constant,
    shop: { from: 'tag', key: 'shop' },
  })
})

test.each([
  ['first_name', { from: 'first-name' }],
  ['LastName', { from: 'last-name' }],
  ['name', { from: 'name' }],
  ['shop', { from: 'tag', key: 'shop' }],
  ['surname', null],
])('guesses the value of {{%s}} for contacts', (name, source) => {
  expect(fitSources({}, [{ name, type: 'string' }], of(null), [])).toEqual({ [name]: source })
})

test.each([
  ['first_name', 1],
  ['lastName', 2],
  ['email', 3],
  ['Order No', 4],
  ['surname', null],
])('guesses the column of {{%s}} by its title or meaning', (name, column) => {
  const guesses = (['phone', 'first-name', 'last-name', 'email', 'ignore'] as const).map((to) => ({ to }))
  const columns = ['Mobile', 'Vorname', 'Nachname', 'Correo', 'order_no']
  expect(fitSources({}, [{ name, type: 'string' }], { ...of(columns), guesses }, [])).toEqual({
    [name]: column === null ? null : { from: 'column', column },
  })
})
