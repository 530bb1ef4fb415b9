import { expect, test } from 'vitest'
import { seededRandom } from '#electron/lib/random.ts'
import { openIndex, rows, settle } from './index-fixture.ts'

test('misses no contact with a text through any changes, failed imports, rebuilds and restarts', () => {
  const random = seededRandom(3)
  const roll = (below: number) => Math.floor(random() * below)
  const { start, add, rename, remove, write, candidates, holders, names, segments, outdated, indexed } =
    openIndex()
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

  // Of all contacts, with additions and interruptions.
  write(() => [...names.keys()].forEach((id) => rename(id, `okapi ${id}`)))
  while (index.step()) continue
  let steps = 0
  for (; index.tidy(); steps++) {
    if (steps % 2 === 0) index = start()
    if (steps < 20) write(() => void add('okapi meanwhile'))
    while (index.step()) continue
  }
  expect(steps).toBeGreaterThan(3)
  settle(index)
  expect(candidates('okapi')).toEqual({ ids: new Set(names.keys()), complete: true })
  for (const syllable of ['lu', 'жу']) expect(candidates(`${syllable}${syllable}`).ids).toEqual(new Set())
  // Each is in one segment.
  expect(indexed() - outdated()).toBe(names.size)
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
