import type {
  ColumnTarget,
  ImportChoices,
  ImportCounts,
  ImportRow,
  RowOutcome,
  RowProblem,
} from '#contract/people/imports.ts'
import { columnsFor } from '#contract/people/column-order.ts'
import { regionOptions } from '../../shared/format/regions.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { t } from './imports.texts.ts'

/** How ambiguous rows are imported. */
export type Rules = Omit<ImportChoices, 'format' | 'columns' | 'extraTags' | 'consent'>

/** The choice for a group of rows. */
export interface Fix {
  rule: keyof Rules
  value: string
  options: readonly { value: string; label: string }[]
}

/** What happens to the rows of a group. */
export type Effect = 'imported' | 'updated' | 'skipped' | 'rejected'

/** Rows with the same problem, and its fix. */
export interface ProblemGroup {
  id: RowProblem | 'duplicate' | 'existing' | 'blocked'
  count: number
  reason: string
  /** Null if only the file can be corrected, or nothing is to be done. */
  fix: Fix | null
  effect: Effect
  rows: readonly ImportRow[]
  /** The cells that show the problem. */
  column: (to: ColumnTarget['to']) => boolean
}

interface Checked {
  counts: ImportCounts
  samples: readonly { outcome: RowOutcome; rows: readonly ImportRow[] }[]
  problems: readonly { problem: RowProblem; rows: readonly ImportRow[] }[]
}

const problems: readonly RowProblem[] = [
  'tag-commas',
  'number-two-ways',
  'number-next-column',
  'email-next-column',
  'email',
  'tags',
  'number-region',
  'number-country',
  'number-empty',
  'number-none',
  'number-short',
  'number-long',
  'number-letters',
  'number-extension',
  'number-several',
  'number-rounded',
  'number-possible',
  'number-unknown',
  'not-a-contact',
  'encoding',
  'malformed',
  'extra-cells',
  'field-too-long',
]

/** `column`: the one whose number can't be read. */
export const problemText = (problem: RowProblem, column = ''): string => t(`problem.${problem}`, { column })

/** The choices for a group: the rule that each sets, and what it can be, with the text of each. */
const choices = {
  'tag-commas': ['tagCommas', { split: 'split', 'as-one': 'asOne', 'leave-out': 'noTags', reject: 'reject' }],
  'number-several': ['severalNumbers', { reject: 'reject', 'use-first': 'useFirst' }],
  'number-extension': ['extensions', { reject: 'reject', 'leave-out': 'noExtension' }],
  'number-possible': ['unknownNumbers', { reject: 'reject', import: 'importAnyway' }],
  email: ['badEmails', { 'leave-out': 'noEmail', reject: 'reject' }],
  tags: ['badTags', { 'leave-out': 'noTags', reject: 'reject' }],
  duplicate: ['duplicatesInFile', { 'keep-first': 'keepFirst', 'keep-last': 'keepLast' }],
  existing: ['duplicatesInContacts', { skip: 'keep', update: 'update' }],
  blocked: ['dncHits', { 'import-marked': 'importBlocked', skip: 'skip' }],
} as const

function fixOf(group: ProblemGroup['id'], rules: Rules): Fix | null {
  if (group === 'number-region')
    return { rule: 'defaultRegion', value: rules.defaultRegion, options: regionOptions() }
  if (!(group in choices)) return null
  const [rule, texts] = choices[group as keyof typeof choices]
  const options = Object.entries(texts).map(([value, text]) => ({ value, label: t(`fix.${text}`) }))
  return { rule, value: rules[rule], options }
}

function effectOf(problem: RowProblem, fix: Fix | null): Effect {
  if (['number-two-ways', 'number-next-column', 'email-next-column'].includes(problem)) return 'imported'
  return fix === null || problem === 'number-region' || fix.value === 'reject' ? 'rejected' : 'imported'
}

/** Whether a problem rejects its rows under these choices. */
export const isRejecting = (problem: RowProblem, rules: Rules): boolean =>
  effectOf(problem, fixOf(problem, rules)) === 'rejected'

function columnOf(problem: RowProblem): ProblemGroup['column'] {
  if (problem === 'email' || problem === 'email-next-column') return (to) => to === 'email'
  if (problem === 'tags' || problem === 'tag-commas') return (to) => to === 'tags'
  if (problem.startsWith('number-')) return (to) => to === 'phone'
  return () => true
}

/** The groups of rows found by a check, those without a fix last. */
export function problemGroups(
  { counts, samples, problems: found }: Checked,
  rules: Pick<ImportChoices, 'columns'> & Rules,
  header: readonly string[],
): ProblemGroup[] {
  const phones = columnsFor(rules.columns, 'phone').map((at) => visibleText(header[at] ?? ''))
  const outcome = (of: RowOutcome) => samples.find((sample) => sample.outcome === of)?.rows ?? []
  const isNumber = (to: ColumnTarget['to']) => to === 'phone'
  const ofProblem = (problem: RowProblem): ProblemGroup => {
    // Rows that name their own country don’t take the file’s.
    const isOwn = problem === 'number-region' && rules.columns.some(({ to }) => to === 'country')
    const fix = isOwn ? null : fixOf(problem, rules)
    return {
      id: problem,
      count: counts.problems[problem] ?? 0,
      reason: problemText(problem, phones.slice(0, -1).join(' / ')),
      fix,
      effect: effectOf(problem, fix),
      rows: found.find((one) => one.problem === problem)?.rows ?? [],
      column: columnOf(problem),
    }
  }
  const known = problems.map(ofProblem)
  const others: ProblemGroup[] = [
    {
      id: 'duplicate',
      count: counts.duplicateInFile,
      reason: t('group.duplicate'),
      fix: fixOf('duplicate', rules),
      effect: 'skipped',
      rows: outcome('duplicate-in-file'),
      column: isNumber,
    },
    {
      id: 'existing',
      count: counts.duplicateInContacts + counts.update + counts.unchanged,
      reason: t('group.existing'),
      fix: fixOf('existing', rules),
      effect: rules.duplicatesInContacts === 'skip' ? 'skipped' : 'updated',
      rows: [...outcome('duplicate-in-contacts'), ...outcome('update'), ...outcome('unchanged')],
      column: isNumber,
    },
    {
      id: 'blocked',
      count: counts.dnc + counts.marked,
      reason: t('group.blocked'),
      fix: fixOf('blocked', rules),
      effect: rules.dncHits === 'skip' ? 'skipped' : 'imported',
      rows: outcome('dnc'),
      column: isNumber,
    },
  ]
  return [...known.filter(({ fix }) => fix), ...others, ...known.filter(({ fix }) => !fix)]
}

/**
 * Whether commas separate tags, judged by the texts of a tag list: `vip, new` beside `vip, old` does, `Doe, Ann` alone doesn’t. A part
 * that occurs in two different texts is its own tag.
 */
export function commasSeparate(texts: readonly string[]): boolean {
  const textOf = new Map<string, string>()
  for (const text of texts)
    for (const part of text.split(','))
      if (part.trim() !== '') {
        const tag = part.trim().toLowerCase()
        if ((textOf.get(tag) ?? text) !== text) return true
        textOf.set(tag, text)
      }
  return false
}
