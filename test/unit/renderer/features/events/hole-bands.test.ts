import { describe, expect, test } from 'vitest'
import type { Hole } from '#contract/live/events.ts'
import { lineAt, lineOfRow, placeHoles } from '../../../../../renderer/src/features/events/hole-bands.ts'
import { row } from './event-record.ts'

/** Rows newest first; row n arrived n seconds after 14:00:00. */
const rows = [row(100), row(40), row(39), row(10)]

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 14, 0, second)).toISOString()
const hole = (from: number, to: number | null): Hole => ({
  from: at(from),
  to: to === null ? null : at(to),
  durationMs: ((to ?? 200) - from) * 1_000,
  proven: true,
  reason: 'closed',
})

const drawn = (bands: ReturnType<typeof placeHoles>, list = rows) =>
  Array.from({ length: list.length + bands.length }, (_, index) => {
    const line = lineAt(list, bands, index)!
    return line.kind === 'row' ? line.row.seq : 'hole'
  })

describe('gaps in the stream', () => {
  test('are between the events before and after them', () => {
    expect(drawn(placeHoles(rows, [hole(45, 90)], true))).toEqual([100, 'hole', 40, 39, 10])
  })

  test('keep their order, newest first', () => {
    const bands = placeHoles(rows, [hole(150, 190), hole(60, 90), hole(45, 50), hole(12, 30)], true)
    expect(drawn(bands)).toEqual(['hole', 100, 'hole', 'hole', 40, 39, 'hole', 10])
  })

  test('are on top while open', () => {
    expect(drawn(placeHoles(rows, [hole(101, null)], true))).toEqual(['hole', 100, 40, 39, 10])
  })

  test('older than the loaded rows wait until those are loaded', () => {
    expect(placeHoles(rows, [hole(1, 5)], false)).toEqual([])
    expect(drawn(placeHoles(rows, [hole(1, 5)], true))).toEqual([100, 40, 39, 10, 'hole'])
  })

  test('show in an empty list', () => {
    expect(drawn(placeHoles([], [hole(1, 5)], true), [])).toEqual(['hole'])
  })

  test('outside the filtered time are not drawn', () => {
    expect(placeHoles(rows, [hole(45, 90)], true, { to: at(45) })).toEqual([])
    expect(placeHoles(rows, [hole(45, 90)], true, { from: at(90) })).toEqual([])
    expect(placeHoles(rows, [hole(45, 90)], true, { from: at(50), to: at(60) })).toHaveLength(1)
  })

  test('shift the rows after them', () => {
    const bands = placeHoles(rows, [hole(101, null), hole(45, 90)], true)
    expect(rows.map((_, index) => lineOfRow(bands, index))).toEqual([1, 3, 4, 5])
  })

  test('end with the list', () => {
    expect(lineAt(rows, [], rows.length)).toBeUndefined()
  })
})
