import type {
  ColumnTarget,
  ImportChoices,
  ImportCounts,
  ImportRow,
  RowOutcome,
  RowProblem,
} from '#contract/imports.ts'
import { callingCodeOf, regionName, regionOptions } from '../../shared/format/regions.ts'

/** What is done with rows that can be read more than one way. */
export type Rules = Omit<ImportChoices, 'format' | 'columns' | 'extraTags'>

/** A choice for a group of rows. */
export interface Fix {
  rule: keyof Rules
  value: string
  options: readonly { value: string; label: string }[]
}

/** What becomes of the rows of a group. */
export type Effect = 'imported' | 'updated' | 'skipped' | 'rejected'

/** Rows that have the same problem, and what can be done about it. */
export interface ProblemGroup {
  id: RowProblem | 'duplicate' | 'existing' | 'blocked'
  count: number
  reason: string
  /** Null where only the file can be corrected. */
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

/** Why rows cannot be imported as they are. `region`: the one their numbers are read in. */
export const problemReasons = (region: string): Record<RowProblem, string> => ({
  'tag-commas': 'Commas between tags',
  'number-two-ways': `Starts with ${callingCodeOf(region)}, without +`,
  email: 'Invalid email',
  tags: 'Unreadable tags',
  'number-region': `Not a number in ${regionName(region)}`,
  'number-empty': 'No number',
  'number-none': 'Not a number',
  'number-short': 'Number too short',
  'number-long': 'Number too long',
  'number-letters': 'Letters in the number',
  'number-extension': 'Number with an extension',
  'number-several': 'Several numbers in one cell',
  'number-rounded': 'Number rounded by a spreadsheet',
  'number-unknown': 'No country has this number',
  malformed: 'Malformed row',
  'extra-cells': 'Too many cells',
  'field-too-long': 'Text too long',
})

const reject = { value: 'reject', label: 'Reject rows' }

function fixOf(problem: RowProblem, rules: Rules): Fix | null {
  const code = callingCodeOf(rules.defaultRegion)
  switch (problem) {
    case 'tag-commas':
      return {
        rule: 'tagCommas',
        value: rules.tagCommas,
        options: [
          { value: 'split', label: 'Split at commas' },
          { value: 'as-one', label: 'Keep as one tag' },
          { value: 'leave-out', label: 'Import without these tags' },
          reject,
        ],
      }
    case 'number-two-ways':
      return {
        rule: 'ownCodeIsPlus',
        value: String(rules.ownCodeIsPlus),
        options: [
          { value: 'true', label: `Read as +${code}…` },
          { value: 'false', label: `Read as +${code} ${code}…` },
        ],
      }
    case 'email':
      return {
        rule: 'badEmails',
        value: rules.badEmails,
        options: [{ value: 'leave-out', label: 'Import without email' }, reject],
      }
    case 'tags':
      return {
        rule: 'badTags',
        value: rules.badTags,
        options: [{ value: 'leave-out', label: 'Import without these tags' }, reject],
      }
    case 'number-region':
      return { rule: 'defaultRegion', value: rules.defaultRegion, options: regionOptions }
    default:
      return null
  }
}

function effectOf(problem: RowProblem, fix: Fix | null): Effect {
  return fix === null || problem === 'number-region' || fix.value === 'reject' ? 'rejected' : 'imported'
}

/** Whether a problem rejects its rows under these choices. */
export const isRejecting = (problem: RowProblem, rules: Rules): boolean =>
  effectOf(problem, fixOf(problem, rules)) === 'rejected'

function columnOf(problem: RowProblem): ProblemGroup['column'] {
  if (problem === 'email') return (to) => to === 'email'
  if (problem === 'tags' || problem === 'tag-commas') return (to) => to === 'tags'
  if (problem.startsWith('number-')) return (to) => to === 'phone'
  return () => true
}

/** Every group of rows that a check found, those without a fix last. */
export function problemGroups({ counts, samples, problems }: Checked, rules: Rules): ProblemGroup[] {
  const outcome = (of: RowOutcome) => samples.find((sample) => sample.outcome === of)?.rows ?? []
  const isNumber = (to: ColumnTarget['to']) => to === 'phone'
  const reasons = problemReasons(rules.defaultRegion)
  const ofProblem = (problem: RowProblem): ProblemGroup => {
    const fix = fixOf(problem, rules)
    return {
      id: problem,
      count: counts.problems[problem] ?? 0,
      reason: reasons[problem],
      fix,
      effect: effectOf(problem, fix),
      rows: problems.find((one) => one.problem === problem)?.rows ?? [],
      column: columnOf(problem),
    }
  }
  const known = (Object.keys(reasons) as RowProblem[]).map(ofProblem)
  const others: ProblemGroup[] = [
    {
      id: 'duplicate',
      count: counts.duplicateInFile,
      reason: 'Same number in another row',
      fix: {
        rule: 'duplicatesInFile',
        value: rules.duplicatesInFile,
        options: [
          { value: 'keep-first', label: 'Keep the first row' },
          { value: 'keep-last', label: 'Keep the last row' },
        ],
      },
      effect: 'skipped',
      rows: outcome('duplicate-in-file'),
      column: isNumber,
    },
    {
      id: 'existing',
      count: counts.duplicateInBook + counts.update + counts.unchanged,
      reason: 'Already in contacts',
      fix: {
        rule: 'duplicatesInBook',
        value: rules.duplicatesInBook,
        options: [
          { value: 'skip', label: 'Keep contacts unchanged' },
          { value: 'update', label: 'Update contacts' },
        ],
      },
      effect: rules.duplicatesInBook === 'skip' ? 'skipped' : 'updated',
      rows: [...outcome('duplicate-in-book'), ...outcome('update'), ...outcome('unchanged')],
      column: isNumber,
    },
    {
      id: 'blocked',
      count: counts.dnc + counts.marked,
      reason: 'Do not contact, or on hold',
      fix: {
        rule: 'dncHits',
        value: rules.dncHits,
        options: [
          { value: 'import-marked', label: 'Import, never send' },
          { value: 'skip', label: 'Skip' },
        ],
      },
      effect: rules.dncHits === 'skip' ? 'skipped' : 'imported',
      rows: outcome('dnc'),
      column: isNumber,
    },
  ]
  return [...known.filter(({ fix }) => fix), ...others, ...known.filter(({ fix }) => !fix)]
}
