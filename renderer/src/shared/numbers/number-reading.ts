import type { importsContract } from '#contract/people/imports.ts'
import type { InputOf, OutputOf } from '#contract/define.ts'
import { type Ref, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { regionName } from '../format/regions.ts'
import { t } from '../i18n/shared.texts.ts'

/** How numbers without a plus are read. */
export interface NumberReading {
  region: string
  hasCountryCodes: boolean
}

type Source = InputOf<typeof importsContract, 'guessReading'>['source']
type Guess = OutputOf<typeof importsContract, 'guessReading'>

/**
 * How a list's numbers without a plus are read: as guessed from the list, or as chosen. `reading` is null while the list says too little
 * or wasn't judged, and nobody has chosen. `home`: the country of the window's numbers, which a guess never
 * changes; null if unknown. If the list also fits another country, you are asked, unless it is the connection's country.
 */
export function useNumberReading(client: Client, home: Readonly<Ref<string | null>>) {
  const atHome = (): NumberReading | null =>
    home.value === null ? null : { region: home.value, hasCountryCodes: false }
  const reading = shallowRef(atHome())
  const guess = shallowRef<Guess | null>(null)
  const isGuessing = shallowRef(false)
  let isChosen = false
  let last = 0

  function reset(): void {
    last++
    isChosen = false
    isGuessing.value = false
    guess.value = null
    reading.value = atHome()
  }

  return {
    reading,
    guess,
    isGuessing,
    home,
    /** Judges a list. A chosen reading stays; `former`, of the last such list, answers what the list leaves open. */
    async look(source: Source, former?: NumberReading): Promise<void> {
      const call = ++last
      isGuessing.value = true
      const answer = await attempt(
        client.imports.guessReading({ source, region: former?.region ?? null, usual: home.value }),
      )
      if (call !== last) return
      isGuessing.value = false
      guess.value = answer.ok ? answer.value : null
      if (!isChosen) reading.value = answer.ok ? (answer.value.reading ?? former ?? null) : null
    },
    choose(next: NumberReading): void {
      isChosen = true
      reading.value = next
    },
    reset,
  }
}

export type ReadingOfList = ReturnType<typeof useNumberReading>

export const readingText = ({ region, hasCountryCodes }: NumberReading): string =>
  t(hasCountryCodes ? 'number.haveCodesOrZero' : 'number.readAs', { region: regionName(region) })

/** The reading as a choice. Numbers with a leading 0, which its samples show, are of its country. */
export function readingLabel({
  region,
  hasCountryCodes,
  samples,
}: NumberReading & { samples: readonly { text: string }[] }): string {
  if (!hasCountryCodes) return t('number.of', { region: regionName(region) })
  const hasZero = samples.some(({ text }) => /^[^\d+]*0/.test(text))
  return hasZero ? t('number.withCodesOrZero', { region: regionName(region) }) : t('number.withCodes')
}

/** Says how many numbers are ambiguous; empty if none. */
export const twoWaysText = (count: number): string => (count === 0 ? '' : t('number.twoWays', { n: count }))
