import { expect, test } from 'vitest'
import { seededRandom } from '#electron/lib/random.ts'
import { openIndex, rows, settle } from './index-fixture.ts'

test('misses no contact with a text through any changes, failed imports, rebuilds and restarts', () => {
  const random = seededRandom(3)
  const roll = (below: number) => Math.floor(random() * below)
  const { start, add, rename, remove, write, candidates, holders, names, segments, outdated } = openIndex()
  let mostOutdated = 0
  const syllables = ['an', 'na', 'jo', 'é', 'lu', 'ca', 'жу', 'k']
  const name = () => Array.from({ length: 1 + roll(5) }, () => syllables[roll(syllables.length)]!).join('')
  let index = start()
  for (let round = 0; round < 120; round++) {
    write(() => {
      for (let times = roll(200); times >= 0; times--) {
        const known = [...names.keys()]
        const id = known[roll(known.length)]
        const act = roll(4)
        if (id === undefined || act < 2) add(name())
        else if (act === 2) rename(id, name())
        else remove(id)
      }
    })
    if (roll(6) === 0) {
      // An import that fails, with a change meanwhile.
      index.beginRows()
      expect(index.tidy()).toBe(false)
      write(() => void add(name()))
      index.addRows(20_000, rows(20_000, roll(400)))
      index.endRows(false)
    }
    if (roll(4) > 0) while (index.step()) continue
    mostOutdated = Math.max(mostOutdated, outdated())
    if (roll(3) === 0) index.tidy()
    if (roll(20) === 0) index = start()
    for (let tries = 0; tries < 5; tries++) {
      const text = name().slice(0, 1 + roll(6))
      const { ids, complete } = candidates(text)
      expect(complete).toBe(true)
      expect([...holders(text)].filter((id) => !ids.has(id))).toEqual([])
    }
  }
  settle(index)
  expect(segments()).toBeLessThan(25)
  // So it was rebuilt.
  expect(mostOutdated).toBeGreaterThan(2_000)
  expect(outdated()).toBeLessThan(2_000)
})

test('stays fast after many single changes by merging segments', () => {
  const { start, add, write, candidates, segments } = openIndex()
  const index = start()
  for (let at = 0; at < 300; at++) {
    write(() => void add(`zebra ${at}`))
    settle(index)
  }
  expect(segments()).toBeLessThan(25)
  expect(candidates('zebra').ids.size).toBe(300)
})

test('rebuilds an index with much outdated content after an interruption at any step', () => {
  const { searchDb, start, add, rename, remove, write, candidates } = openIndex()
  let index = start()
  const ids: number[] = []
  write(() => {
    for (let at = 0; at < 6_000; at++) ids.push(add(`zebra ${at}`))
  })
  settle(index)
  write(() => {
    for (const id of ids.slice(0, 1_000)) remove(id)
    for (const id of ids.slice(1_000, 2_500)) rename(id, 'okapi')
  })
  while (index.step()) continue
  expect(candidates('zebra').ids.size).toBe(6_000)
  const interruptions = [1, 1, 2]
  for (const steps of interruptions) {
    for (let step = 0; step < steps; step++) index.tidy()
    index = start()
    write(() => void add('zebra meanwhile'))
    while (index.step()) continue
  }
  settle(index)
  expect(candidates('zebra').ids.size).toBe(3_500 + interruptions.length)
  expect(candidates('okapi').ids.size).toBe(1_500)
  expect(searchDb.prepare('SELECT outdated, again_segment FROM progress').get()).toEqual({
    outdated: 0,
    again_segment: null,
  })
})

test('indexes each addition during a rebuild once and drops all outdated content', () => {
  const { start, add, rename, write, indexed, candidates, segments } = openIndex()
  let index = start()
  const ids: number[] = []
  const bring = (contacts: number) => {
    write(() => {
      for (let at = 0; at < contacts; at++) ids.push(add(`zebra ${at}`))
    })
    while (index.step()) continue
  }
  bring(3_000)
  bring(3_000)
  write(() => ids.slice(0, 2_000).forEach((id) => rename(id, 'okapi')))
  while (index.step()) continue
  expect(segments()).toBe(3)
  expect(indexed()).toBe(8_000)
  expect(index.tidy()).toBe(true)
  bring(4_000)
  expect(index.tidy()).toBe(true)
  index = start()
  bring(1_000)
  while (index.tidy()) continue
  expect(indexed()).toBe(11_000)
  expect(candidates('okapi').ids).toEqual(new Set(ids.slice(0, 2_000)))
  expect(candidates('zebra').ids).toEqual(new Set(ids.slice(2_000)))
})

test('finds contacts with unreadable tags by their other fields', () => {
  const { start, add, tag, tagSet, putTags, write, candidates, indexed } = openIndex()
  const index = start()
  const ids: number[] = []
  putTags(tagSet, '{"broken')
  write(() => {
    for (let at = 0; at < 3_000; at++) ids.push(add(`zebra ${at}`))
    for (const at of [500, 700, 2_900]) tag(ids[at]!, at === 700 ? 1 : tagSet)
  })
  settle(index)
  expect(candidates('zebra').ids).toEqual(new Set(ids))
  expect(candidates('broken').ids.size).toBe(0)
  // The same after a rebuild.
  write(() => ids.slice(0, 2_400).forEach((id) => tag(id, tagSet)))
  settle(index)
  expect(candidates('zebra').ids).toEqual(new Set(ids))
  expect(indexed()).toBe(3_000)
  // Once they are readable, changes are found by them.
  putTags(tagSet, '{"whole":"again"}')
  write(() => tag(ids[500]!, tagSet))
  settle(index)
  expect(candidates('whole=again').ids).toContain(ids[500])
})
