import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PlannedRow } from '../../../jobs/work/protocol.ts'

/** What dry runs wrote: for each send whom it goes to and whom not, a line each, until the send needs it no more. */
export interface PlanFiles {
  paths(sendId: string): { plan: string; left: string }
  has(sendId: string): boolean
  /** Rows of whom it goes to, from behind the first `skip`, in pieces. */
  pieces(sendId: string, skip: number, size: number): AsyncGenerator<PlannedRow[], void>
  /** The first row that is as wanted: of those it goes to, then of those left out. */
  find(sendId: string, is: (row: PlannedRow) => boolean): Promise<PlannedRow | null>
  /** Forgets whom it goes to; whom not stays for the results. */
  dropPlan(sendId: string): void
  drop(sendId: string): void
  /** Forgets what belongs to no send. */
  sweep(isKnown: (sendId: string) => boolean): void
}

export function createPlanFiles(dir: string): PlanFiles {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const paths = (sendId: string) => ({
    plan: join(dir, `${sendId}.plan`),
    left: join(dir, `${sendId}.left`),
  })

  async function* rows(file: string): AsyncGenerator<PlannedRow, void> {
    if (!existsSync(file)) return
    for await (const line of createInterface({ input: createReadStream(file) }))
      yield JSON.parse(line) as PlannedRow
  }

  const drop = (file: string) => rmSync(file, { force: true })
  return {
    paths,
    has: (sendId) => existsSync(paths(sendId).plan),
    async *pieces(sendId, skip, size) {
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
    async find(sendId, is) {
      const { plan, left } = paths(sendId)
      for (const file of [plan, left]) for await (const row of rows(file)) if (is(row)) return row
      return null
    },
    dropPlan: (sendId) => drop(paths(sendId).plan),
    drop(sendId) {
      drop(paths(sendId).plan)
      drop(paths(sendId).left)
    },
    sweep(isKnown) {
      for (const name of readdirSync(dir)) if (!isKnown(name.slice(0, 36))) drop(join(dir, name))
    },
  }
}
