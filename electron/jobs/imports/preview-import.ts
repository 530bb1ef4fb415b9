import { openReader } from '../../database/open.ts'
import { loadBlocked } from '../table/blocked-numbers.ts'
import { readTable } from '../table/read-table.ts'
import type { ConsentColumn } from '../table/consent-words.ts'
import { findConsent } from '../table/find-consent.ts'
import type { JobControl, JobFiles } from '../run/job-control.ts'
import { createRowDisplay, createRowJudge, toJudgedRow } from './judge-rows.ts'
import type { OutputOf } from '../../contract/define.ts'
import type {
  ImportChoices,
  ImportRow,
  importsContract,
  RowOutcome,
  RowProblem,
} from '../../contract/people/imports.ts'

export interface PreviewOrder extends JobFiles {
  consent: readonly ConsentColumn[]
  header?: readonly string[]
  file: string
  choices: ImportChoices
  /** Outcome column of a saved list of rejected rows. */
  outcomeAt: number | null
  samples: number
}

type PreviewResult = Omit<OutputOf<typeof importsContract, 'preview'>, 'dncList' | 'asOf'>

/** Counts what an import would do, with sample rows. Stores nothing. */
export async function previewImport(order: PreviewOrder, control: JobControl): Promise<PreviewResult> {
  const { db: contactsDb, close } = openReader(order.contactsFile)
  try {
    const refusals = await findConsent(order, control)
    const blocked = loadBlocked(order)
    const judge = createRowJudge({
      refusals,
      header: order.header,
      choices: order.choices,
      outcomeAt: order.outcomeAt,
      contactsDb,
      blocked,
    })
    const toDisplayRow = createRowDisplay(order.choices.columns, order.header ?? [])
    const samples = new Map<RowOutcome, ImportRow[]>()
    const problems = new Map<RowProblem, ImportRow[]>()
    function keep<Kind>(kept: Map<Kind, ImportRow[]>, kind: Kind, row: () => ImportRow): void {
      const known = kept.get(kind) ?? []
      if (known.length < order.samples) known.push(row())
      kept.set(kind, known)
    }
    const passes = order.choices.duplicatesInFile === 'keep-last' ? 2 : 1
    const between = (pass: number) => async (done: number, total: number) => {
      control.progress(done + (pass - 1) * total, total * passes)
      await control.checkpoint()
    }
    if (passes === 2) await readTable(order.file, order.choices.format, judge.foresee, between(1))
    await readTable(
      order.file,
      order.choices.format,
      (row) => {
        const judgement = judge.judge(row)!
        const shown = () => toDisplayRow(toJudgedRow(row, judgement))
        keep(samples, judgement.outcome, shown)
        for (const problem of judgement.problems) keep(problems, problem, shown)
      },
      between(passes),
    )
    return {
      counts: judge.counts,
      samples: [...samples].map(([outcome, rows]) => ({ outcome, rows })),
      problems: [...problems].map(([problem, rows]) => ({ problem, rows })),
      consent: refusals.columns,
      toHold: refusals.holds.digits.filter((digits) => !blocked.held.has(digits)).length,
      heldBefore: refusals.holds.digits.filter((digits) => blocked.held.has(digits)).length,
      unreadRefusals: refusals.unreadRows,
    }
  } finally {
    close()
  }
}
