import { describe, expect, test } from 'vitest'
import { lineColours, seriesLabel } from '../../../../../renderer/src/shared/charts/series-look.ts'
import { palettes } from '../../../../../renderer/src/shared/theme/tokens.ts'
import { contrast } from '../../../../helpers/contrast.ts'

const usual = ['submitted', 'delivered', 'failed', 'expired', 'mo']
/** The core’s maximum of lines: eight statuses, the rest, and quarantined. */
const all = [...usual, 'read', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'other', 'quarantined']

describe.each(['dark', 'light'] as const)('chart lines in the %s palette', (scheme) => {
  const colours = lineColours(all, palettes[scheme])

  test('have a colour each', () => {
    expect(new Set(colours.values()).size).toBe(all.length)
  })

  test('have a contrast of 3:1 with the surface', () => {
    const weak = [...colours].filter(([, colour]) => contrast(colour, palettes[scheme].surface) < 3)
    expect(weak).toEqual([])
  })
})

test('keeps a status’s colour when the order of lines changes', () => {
  const one = lineColours([...usual, 'read', 'held'], palettes.dark)
  const other = lineColours([...usual, 'held', 'read'], palettes.dark)
  expect(one.get('read')).toBe(other.get('read'))
})

test.each([
  ['mo', 'Inbound'],
  ['failed', 'Failed'],
  ['read', 'Read'],
  ['quarantined', 'Quarantined'],
  ['other', 'Other'],
  ['UNDELIV', 'UNDELIV'],
  ['bad\u202Ename', 'Bad[U+202E]name'],
])('labels a line of %s as %s', (name, label) => {
  expect(seriesLabel(name)).toBe(label)
})
