import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PlannedRow } from '../../../jobs/sends/plan-order.ts'
import { rowsEnding } from '../../../jobs/table/read-table.ts'

export type PlanFiles = ReturnType<typeof createPlanFiles>

/** Results of dry runs: for each send, its recipients and the skipped rows, one JSON line each. */
export function createPlanFiles(dir: string) {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const paths = (sendId: string) => ({ plan: join(dir, `${sendId}.plan`), left: join(dir, `${sendId}.left`) })
  const sourceOf = (sendId: string) => join(dir, `${sendId}${rowsEnding}`)

  async function* rows(file: string): AsyncGenerator<PlannedRow, void> {
    if (!existsSync(file)) return
    for await (const line of createInterface({ input: createReadStream(file) }))
      yield JSON.parse(line) as PlannedRow
  }

  const drop = (file: string) => rmSync(file, { force: true })
  return {
    paths,
    /** The rows of its file, kept until the send is queued, for another count. */
    sourceOf,
    hasSource: (sendId: string) => existsSync(sourceOf(sendId)),
    has: (sendId: string) => existsSync(paths(sendId).plan),
    /** Recipients after the first `skip`, in pieces. */
    async *pieces(sendId: string, skip: number, size: number) {
      let piece: PlannedRow[] = []
      for await (const row of rows(paths(sendId).plan)) {
        if (row.at <= skip) continue
        piece.push(row)
        if (piece.length < size) continue
        yield piece
        piece = []
      }
      if (piece.length > 0) yield piece
    },
    /** The first matching row among the recipients, then among the skipped. */
    async find(sendId: string, is: (row: PlannedRow) => boolean) {
      const { plan, left } = paths(sendId)
      for (const file of [plan, left]) for await (const row of rows(file)) if (is(row)) return row
      return null
    },
    /** Deletes the recipients; the skipped rows stay for the results. */
    dropPlan(sendId: string) {
      drop(paths(sendId).plan)
      drop(sourceOf(sendId))
    },
    drop(sendId: string) {
      drop(paths(sendId).plan)
      drop(sourceOf(sendId))
      drop(paths(sendId).left)
    },
    /** Deletes files of unknown sends. */
    sweep(isKnown: (sendId: string) => boolean) {
      for (const name of readdirSync(dir)) if (!isKnown(name.slice(0, 36))) drop(join(dir, name))
    },
  }
}
