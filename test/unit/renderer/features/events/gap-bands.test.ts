import { describe, expect, test } from 'vitest'
import type { Gap } from '#contract/live/events.ts'
import { lineAt, lineOfRow, placeGaps } from '../../../../../renderer/src/features/events/gap-bands.ts'
import { row } from './event-record.ts'

/** Rows newest first; row n arrived n seconds after 14:00:00. */
const rows = [row(100), row(40), row(39), row(10)]

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 14, 0, second)).toISOString()
const gap = (from: number, to: number | null): Gap => ({
  from: at(from),
  to: to === null ? null : at(to),
  durationMs: ((to ?? 200) - from) * 1_000,
  proven: true,
  reason: 'closed',
})

const drawn = (bands: ReturnType<typeof placeGaps>, list = rows) =>
  Array.from({ length: list.length + bands.length }, (_, index) => {
    const line = lineAt(list, bands, index)!
    return line.kind === 'row' ? line.row.seq : 'gap'
  })

describe('gaps in the stream', () => {
  test('are between the events before and after them', () => {
    expect(drawn(placeGaps(rows, [gap(45, 90)], true))).toEqual([100, 'gap', 40, 39, 10])
  })

  test('keep their order, newest first', () => {
    const bands = placeGaps(rows, [gap(150, 190), gap(60, 90), gap(45, 50), gap(12, 30)], true)
    expect(drawn(bands)).toEqual(['gap', 100, 'gap', 'gap', 40, 39, 'gap', 10])
  })

  test('are on top while open', () => {
    expect(drawn(placeGaps(rows, [gap(101, null)], true))).toEqual(['gap', 100, 40, 39, 10])
  })

  test('older than the loaded rows wait until those are loaded', () => {
    expect(placeGaps(rows, [gap(1, 5)], false)).toEqual([])
    expect(drawn(placeGaps(rows, [gap(1, 5)], true))).toEqual([100, 40, 39, 10, 'gap'])
  })

  test('show in an empty list', () => {
    expect(drawn(placeGaps([], [gap(1, 5)], true), [])).toEqual(['gap'])
  })

  test('outside the filtered time are not drawn', () => {
    expect(placeGaps(rows, [gap(45, 90)], true, { to: at(45) })).toEqual([])
    expect(placeGaps(rows, [gap(45, 90)], true, { from: at(90) })).toEqual([])
    expect(placeGaps(rows, [gap(45, 90)], true, { from: at(50), to: at(60) })).toHaveLength(1)
  })

  test('shift the rows after them', () => {
    const bands = placeGaps(rows, [gap(101, null), gap(45, 90)], true)
    expect(rows.map((_, index) => lineOfRow(bands, index))).toEqual([1, 3, 4, 5])
  })

  test('end with the list', () => {
    expect(lineAt(rows, [], rows.length)).toBeUndefined()
  })
})
