import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** All are read again beyond this. Reading a number takes 50 µs. */
const keptMax = 5_000
const kept = new Map<string, readonly string[] | null>()

/** The groups of an E.164 number, as in `+44 7400 976457`; null for any other text. Joined, they are the number. */
export function phoneGroups(number: string): readonly string[] | null {
  let groups = kept.get(number)
  if (groups === undefined) {
    groups = readGroups(number)
    if (kept.size >= keptMax) kept.clear()
    kept.set(number, groups)
  }
  return groups
}

function readGroups(number: string): readonly string[] | null {
  if (!/^\+\d{7,15}$/.test(number)) return null
  const groups = parsePhoneNumberFromString(number, { extract: false })
    ?.formatInternational()
    .split(/[^+\d]+/)
  return groups?.join('') === number ? groups : null
}
