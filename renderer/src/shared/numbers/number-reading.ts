import { ref } from 'vue'
import { formatCounted } from '../format/numbers.ts'
import { callingCodeOf, useRegion } from '../format/regions.ts'

/** How the numbers of a file or list are read that have no plus. */
export interface NumberReading {
  region: string
  doubleZeroIsPlus: boolean
  ownCodeIsPlus: boolean
}

/** The choices of a form that reads many numbers: the region as chosen last, the others as fits most files. */
export function useNumberReading() {
  return { region: useRegion(), doubleZeroIsPlus: ref(true), ownCodeIsPlus: ref(false) }
}

/** What the choice is called that takes a region's own calling code for one: `Read 49… as +49…`. */
export function ownCodeLabel(region: string): string {
  const code = callingCodeOf(region)
  return `Read ${code}… as +${code}…`
}

/** How many numbers could be read with the country's own calling code in front and without, and which it was; nothing where none could. */
export function twoWaysText(
  count: number,
  { region, ownCodeIsPlus }: Omit<NumberReading, 'doubleZeroIsPlus'>,
): string {
  if (count === 0) return ''
  const code = callingCodeOf(region)
  const subject = `${formatCounted(count, 'number')} without a plus ${count === 1 ? 'begins' : 'begin'} with ${code}, the country’s own calling code`
  const [asCode, asNational] = [`+${code}…`, `+${code} ${code}…`]
  const [read, other] = ownCodeIsPlus ? [asCode, asNational] : [asNational, asCode]
  return `${subject}, and ${count === 1 ? 'was' : 'were'} read as ${read}; ${other} would be ${count === 1 ? 'a number' : 'numbers'}, too.`
}
