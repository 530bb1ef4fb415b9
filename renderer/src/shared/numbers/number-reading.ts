import { ref } from 'vue'
import { callingCodeOf } from '../format/regions.ts'
import { t } from '../i18n/shared.texts.ts'
import { useNumberRegion } from './use-number-region.ts'

/** How numbers without a plus are read. */
export interface NumberReading {
  region: string
  doubleZeroIsPlus: boolean
  ownCodeIsPlus: boolean
}

/** The choices of a form with many numbers: the connection's country or the last selected one, and what fits most files. */
export function useNumberReading() {
  return { region: useNumberRegion(), doubleZeroIsPlus: ref(true), ownCodeIsPlus: ref(false) }
}

/** `Treat 49… as +49…`. */
export const ownCodeLabel = (region: string): string => t('number.ownCode', { code: callingCodeOf(region) })

/** Says which numbers are ambiguous and how they were read; empty if none. */
export function twoWaysText(
  count: number,
  { region, ownCodeIsPlus }: Omit<NumberReading, 'doubleZeroIsPlus'>,
): string {
  if (count === 0) return ''
  const code = callingCodeOf(region)
  const [asCode, asNational] = [`+${code}…`, `+${code} ${code}…`]
  const [read, other] = ownCodeIsPlus ? [asCode, asNational] : [asNational, asCode]
  return t('number.twoWays', { n: count, code, read, other })
}
