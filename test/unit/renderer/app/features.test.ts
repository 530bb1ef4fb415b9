import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { linkablePages } from '#electron/core/connection/desktop/links.ts'
import { features, navigation } from '../../../../renderer/src/app/features.ts'

const root = resolve(import.meta.dirname, '../../../..')
const unlinked = ['connect', 'connections']

test('no two pages share a place in the navigation or a letter after g', () => {
  const places = navigation.map(({ order }) => order)
  expect(places).toEqual([...new Set(places)])
  const letters = features.flatMap(({ goKey }) => goKey ?? [])
  expect(letters).toEqual([...new Set(letters)])
})

test('a link can open every page of a connection', () => {
  const paths = features.filter(({ id }) => !unlinked.includes(id)).map(({ route }) => route.path)
  expect(paths.sort()).toEqual(
    Object.keys(linkablePages)
      .map((page) => `/${page}`)
      .sort(),
  )
})

test('lists.spec takes every list page through its states', () => {
  const spec = readFileSync(`${root}/test/e2e/lists.spec.ts`, 'utf8')
  const isList = ({ id }: { id: string }) =>
    globSync(`${root}/renderer/src/features/${id}/**/*.{ts,vue}`).some((file) =>
      readFileSync(file, 'utf8').includes('useListPage'),
    )
  const missing = features.filter(isList).filter(({ route }) => !spec.includes(`\n  ['${route.path}',`))
  expect(missing.map(({ id }) => id)).toEqual([])
})
