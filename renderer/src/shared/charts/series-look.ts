import { statusLook } from '../format/status.ts'
import { type Palette, type Scheme, palettes, seriesColour } from '../theme/tokens.ts'

/** Lines that the contract always has, in drawing order. */
export const usualLines = ['submitted', 'delivered', 'failed', 'expired', 'mo'] as const

/** Fills of further lines: a contrast of 3:1 to the surface, distinct from each other; a test checks it. */
const quarantinedColour: Record<Scheme, string> = { dark: '#a9825c', light: '#8a5a2b' }
const spareColours: Record<Scheme, readonly string[]> = {
  dark: ['#3fc1bd', '#ee7fc0', '#b9cc4b', '#8fd3ff', '#f2a27a', '#7d86d9', '#d9d3a5', '#4f9a94'],
  light: ['#0b7d7a', '#c2378f', '#66760d', '#0a6f9e', '#c2571a', '#4a4fb0', '#7a7146', '#2f5d50'],
}

/** A line’s label, capitalised, with harmless control characters. */
export function seriesLabel(name: string): string {
  if (name === 'mo' || name === 'quarantined') return statusLook('event', name).label
  const { label } = statusLook('message', name)
  return label.charAt(0).toUpperCase() + label.slice(1)
}

/**
 * The fill of each of `names`. Statuses outside the spec take the spare colours in alphabetical order, so that each keeps its colour when
 * the order of lines changes.
 */
export function lineColours(names: readonly string[], palette: Palette): Map<string, string> {
  const scheme: Scheme = palette === palettes.light ? 'light' : 'dark'
  const spare = spareColours[scheme]
  const usual: readonly string[] = usualLines
  const others = names.filter((name) => !usual.includes(name) && name !== 'quarantined' && name !== 'other')
  const inOrder = [...others].sort()
  return new Map(
    names.map((name) => {
      if (name === 'quarantined') return [name, quarantinedColour[scheme]]
      const at = inOrder.indexOf(name)
      return [name, at < 0 ? seriesColour(name, palette) : spare[at % spare.length]!]
    }),
  )
}
