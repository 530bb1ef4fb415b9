import { describe, expect, it } from 'vitest'
import { connectionColours as contractColours } from '#contract/connection/connections.ts'
import {
  connectionColours,
  cssVariables,
  type Palette,
  palettes,
  seriesColour,
} from '../../../../../renderer/src/shared/theme/tokens.ts'
import { contrast } from '../../../../helpers/contrast.ts'

const surfaces = ['frame', 'content', 'surface', 'raised', 'sunken', 'hover', 'selected'] as const
const texts = ['text', 'textMuted', 'accent', 'ok', 'warn', 'bad', 'quiet', 'violet'] as const
const onSoft: [keyof Palette, keyof Palette][] = [
  ['ok', 'okSoft'],
  ['warn', 'warnSoft'],
  ['bad', 'badSoft'],
  ['accent', 'accentSoft'],
  ['quiet', 'quietSoft'],
  ['violet', 'violetSoft'],
  ['text', 'accentSoft'],
  ['text', 'badSoft'],
  ['text', 'warnSoft'],
  ['textMuted', 'badSoft'],
  ['textMuted', 'warnSoft'],
  ['onPrimary', 'primary'],
  ['onPrimary', 'primaryHover'],
  ['onPrimary', 'danger'],
  ['onPrimary', 'dangerHover'],
]

describe.each(['dark', 'light'] as const)('the %s palette', (scheme) => {
  const palette = palettes[scheme]

  it('has a contrast of 4.5:1 for every text on every surface', () => {
    const weak = surfaces.flatMap((surface) =>
      texts
        .map((text) => ({ text, surface, ratio: contrast(palette[text], palette[surface]) }))
        .filter(({ ratio }) => ratio < 4.5),
    )
    expect(weak).toEqual([])
  })

  it('has a contrast of 4.5:1 for every text on its fill', () => {
    const weak = onSoft
      .map(([text, fill]) => ({ text, fill, ratio: contrast(palette[text], palette[fill]) }))
      .filter(({ ratio }) => ratio < 4.5)
    expect(weak).toEqual([])
  })

  it('has 3:1 for borders, connection marks and chart lines', () => {
    const marks = [
      ...(['frame', 'content', 'surface', 'raised'] as const).map((surface) => [
        palette.controlBorder,
        palette[surface],
      ]),
      ...Object.values(connectionColours).map((colour) => [colour[scheme], palette.surface]),
      ...['submitted', 'delivered', 'failed', 'expired', 'mo'].map((name) => [
        seriesColour(name, palette),
        palette.surface,
      ]),
    ] as [string, string][]
    expect(marks.filter(([mark, ground]) => contrast(mark, ground) < 3)).toEqual([])
  })
})

describe('tokens', () => {
  it('have every connection colour of the contract', () => {
    expect(Object.keys(connectionColours)).toEqual([...contractColours])
  })

  it('become custom properties', () => {
    const variables = cssVariables('dark', 'comfortable')
    expect(variables['--text-muted']).toBe(palettes.dark.textMuted)
    expect(variables['--row-height']).toBe('36px')
  })

  it('give a line with an unknown name a colour', () => {
    expect(seriesColour('held', palettes.dark)).toBe(palettes.dark.quiet)
  })
})
