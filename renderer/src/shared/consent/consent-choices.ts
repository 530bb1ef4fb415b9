import type { ConsentChoice, ConsentColumn } from '#contract/people/consent.ts'
import { unknownBesideNo } from '#contract/people/consent-values.ts'
import { t } from '../i18n/shared.texts.ts'
import { visibleText } from '../text/visible-controls.ts'

/** What to do with numbers whose row says no. */
export type ConsentAction = ConsentChoice['action']
/** A decision about a column, with some of the actions. */
export type ChoiceOf<Action extends ConsentAction> = ConsentChoice & { action: Action }

/** Above this share of rows that say no, the guess may be wrong. */
const mostRefuse = 0.8

/** The decision about a column; null if it isn't made yet and the guess would refuse nearly everybody, or may overlook a refusal. */
export function consentOf<Action extends ConsentAction>(
  { column, values, others }: ConsentColumn,
  choices: readonly ChoiceOf<Action>[],
  unasked: Action,
): ChoiceOf<Action> | null {
  const decided = choices.find((one) => one.column === column)
  if (decided) return decided
  const refusing = values.filter(({ isNo }) => isNo)
  const all = others + countOf(values)
  if (others + countOf(refusing) > mostRefuse * all || hasUnknown(values)) return null
  return { column, action: unasked, no: refusing.map(({ key }) => key) }
}

/** Whether a column is the file's name, title or heading: one more than the file has. */
export const isFileName = ({ column }: { column: number }, header: readonly string[]): boolean =>
  column >= header.length

/**
 * The columns that only the operator can decide on. A file whose name, title or heading says no for most rows comes first: what is decided on it is decided
 * on its columns.
 */
export function undecidedOf<Action extends ConsentAction>(
  found: readonly ConsentColumn[],
  header: readonly string[],
  choices: readonly ChoiceOf<Action>[],
  unasked: Action,
): readonly ConsentColumn[] {
  const open = found.filter((one) => consentOf(one, choices, unasked) === null)
  const ofFile = open.filter((one) => isFileName(one, header))
  return ofFile.length > 0 ? ofFile : open
}

const countOf = (values: readonly { count: number }[]) => values.reduce((all, { count }) => all + count, 0)

/** Whether some values of a column may refuse, too, so that the operator must look at them. */
export const hasUnknown = (values: ConsentColumn['values']): boolean => unknownBesideNo(values).length > 0

/** The actions of every file. `skip` is what the label `skip` says, such as to block. */
export const skipOrIgnore = (skip: 'skip' | 'block' = 'skip') => [
  { value: 'skip' as const, label: t(`consent.${skip}`) },
  { value: 'ignore' as const, label: t('consent.ignore') },
]

export const titleOf = (one: ConsentColumn, header: readonly string[]): string =>
  isFileName(one, header) ? t('consent.fileName') : visibleText(header[one.column]!)

/** That only the operator can decide on these columns. */
export const openText = (columns: readonly ConsentColumn[], header: readonly string[]): string =>
  t('consent.open', { columns: columns.map((one) => titleOf(one, header)).join(', ') })
