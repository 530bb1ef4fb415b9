import { expect, test } from 'vitest'
import { createSSRApp, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import type { Column } from '../../../../../renderer/src/shared/table/columns.ts'
import { DataRow } from '../../../../../renderer/src/shared/table/data-row.ts'

type Part = Omit<Column<string>, 'id' | 'title' | 'width'>

const drawn = async (row: string, column: Part) =>
  renderToString(
    createSSRApp(() =>
      h(DataRow, { row, columns: [{ id: 'one', title: 'One', width: 100, ...column }], cells: {} }),
    ),
  )

test('isolates right-to-left text only, since each element costs time at every key', async () => {
  const text = (row: string) => row
  expect(await drawn('Ada ✓ 李', { text })).toContain('>Ada ✓ 李</span>')
  expect(await drawn('+1 שלום!', { text })).toContain('><bdi>+1 שלום!</bdi></span>')
  expect(await drawn('مرحبا', { text })).toContain('<bdi>')
})

test('names invisible characters in a cell', async () => {
  expect(await drawn('a\u202eb', { text: (row) => row })).toContain('>a[U+202E]b</span>')
})

test('shows a status as icon, label and tone, with the label on hover', async () => {
  const html = await drawn('', { status: () => ({ tone: 'warn', icon: 'warning', label: 'Unconfirmed' }) })
  expect(html).toContain('class="truncate status warn" title="Unconfirmed"')
  expect(html).toMatch(/<svg.*<\/svg>Unconfirmed<\/span>/)
})

test('groups a phone number by style, so that a copy of it is E.164', async () => {
  const html = await drawn('', { phone: () => '+447400976457' })
  expect(html).toContain('<span>+44</span><span>7400</span><span>976457</span>')
  expect(html.replace(/<[^>]*>/g, '')).toBe('+447400976457')
  expect(await drawn('', { phone: () => null })).toContain('>–<')
})

test('clips a cell unless its content always fits, with the whole text on hover where it may be long', async () => {
  expect(await drawn('Ada', { text: (row) => row, grow: 1 })).toContain('title="Ada"')
  expect(await drawn('Ada', { text: (row) => row, grow: 1, hint: () => 'A' })).toContain('title="A"')
  expect(await drawn('x', { text: (row) => row })).toContain('class="truncate"')
  expect(await drawn('x', { text: (row) => row, fits: true })).toContain('class="nowrap"')
})
