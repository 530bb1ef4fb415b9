/** How many messages a text takes, by the usual rules. An estimate: the service’s `part_count` is the truth. */
interface SegmentEstimate {
  alphabet: 'GSM-7' | 'UCS-2'
  /** Septets, or UTF-16 units. Characters of the extension table count two. */
  units: number
  segments: number
  /** What still fits into the last segment. */
  left: number
  /** Characters outside the GSM tables, the first few, once each: the reason for UCS-2. */
  beyond: string[]
}

/** The default alphabet of 3GPP TS 23.038, 6.2.1. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Its extension table, 6.2.1.1: an escape and a character. */
const extension = new Set('\f^{}\\[~]|€')
const beyondMax = 5

/** Length of a single message, and of each segment of several, in units: a header takes the rest. */
const room = { 'GSM-7': { single: 160, each: 153 }, 'UCS-2': { single: 70, each: 67 } } as const

export function estimateSegments(text: string): SegmentEstimate {
  const characters = [...text]
  const beyond = [...new Set(characters.filter((one) => !basic.has(one) && !extension.has(one)))]
  const alphabet = beyond.length === 0 ? 'GSM-7' : 'UCS-2'
  const sizeOf = (one: string) => (alphabet === 'UCS-2' ? one.length : extension.has(one) ? 2 : 1)
  const units = characters.reduce((sum, one) => sum + sizeOf(one), 0)
  const { single, each } = room[alphabet]
  if (units <= single)
    return {
      alphabet,
      units,
      segments: units === 0 ? 0 : 1,
      left: single - units,
      beyond: beyond.slice(0, beyondMax),
    }
  // A character of two units is not split: it moves to the next segment.
  let segments = 1
  let used = 0
  for (const one of characters) {
    const size = sizeOf(one)
    if (used + size > each) {
      segments++
      used = 0
    }
    used += size
  }
  return { alphabet, units, segments, left: each - used, beyond: beyond.slice(0, beyondMax) }
}
