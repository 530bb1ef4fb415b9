import type { DecimalMark } from '#contract/strict-number.ts'
import type { RecipientSource, ValueSource, VariableMapping } from '#contract/people/templates.ts'
import { computed, shallowRef } from 'vue'
import { useAnswer } from '../../shared/query/use-answer.ts'

/** A placeholder whose values fit both marks, with some of them read both ways. */
export interface OpenMark {
  name: string
  samples: readonly { written: string; point: string | null; comma: string | null }[]
}

const isRead = ({ from }: ValueSource) => from === 'column' || from === 'tag'

/**
 * The decimal marks of a bulk send's number values, read from all recipients once the mapping is complete (`recipients` not null), and the
 * operator's answers where the values fit both.
 */
export function useDecimals(parts: {
  recipients: () => RecipientSource | null
  /** The number placeholders with their sources. */
  numbers: () => readonly VariableMapping[]
}) {
  const answers = shallowRef<Readonly<Record<string, DecimalMark>>>({})

  const read = computed(() => parts.numbers().filter(({ source }) => isRead(source)))
  const order = computed(() => {
    const source = parts.recipients()
    return source !== null && read.value.length > 0 ? { source, mapping: [...read.value] } : null
  })
  const query = useAnswer(
    () => ['templates', 'decimals', order.value],
    (client, signal) => client.templates.decimals(order.value!, { signal }),
    () => ({ enabled: order.value !== null, gcTime: 0 }),
  )
  const keyOfAnswer = (name: string) =>
    JSON.stringify([order.value?.source, read.value.find((one) => one.name === name)])
  const items = computed(() => (order.value === null ? [] : (query.data.value?.items ?? [])))
  const markOf = (name: string): DecimalMark | null =>
    answers.value[keyOfAnswer(name)] ?? items.value.find((item) => item.name === name)?.mark ?? null

  return {
    questions: computed<OpenMark[]>(() => items.value.filter(({ mark }) => mark === null)),
    /** Marks that the values show, each with a value that isn't sent as written. */
    found: computed(() =>
      items.value.flatMap(({ name, mark, samples }) => {
        const sample = mark && samples.find((one) => one[mark] !== null && one[mark] !== one.written)
        return sample ? [{ name, mark, written: sample.written, read: sample[mark]! }] : []
      }),
    ),
    chosen: markOf,
    choose(name: string, mark: DecimalMark): void {
      answers.value = { ...answers.value, [keyOfAnswer(name)]: mark }
    },
    /** Placeholders whose mark isn't known yet. None if they can't be read: then the dry run judges. */
    open: computed(() =>
      query.isError.value ? [] : read.value.map(({ name }) => name).filter((name) => markOf(name) === null),
    ),
    isReading: computed(() => query.isFetching.value),
    error: query.problem,
    /** A source with its decimal mark, for the dry run. */
    withMark: (name: string, source: ValueSource): ValueSource => {
      const mark = markOf(name)
      return mark !== null && (source.from === 'column' || source.from === 'tag')
        ? { ...source, decimals: mark }
        : source
    },
  }
}
