import { setImmediate as nextTurn } from 'node:timers/promises'
import { titlesOf } from '../../../jobs/run/csv-headers.ts'
import { createTarget } from '../../../jobs/run/target-file.ts'
import { utcDay } from '../../../lib/iso-time.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { DncService } from './dnc.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Holds per turn of the core: a few milliseconds. */
const perTurn = 1_000

/** Writes local holds to a CSV file for the people who maintain the DNC list. Takes a second for 300,000, so it needs no task. */
export function createHoldHandOff(
  parts: Pick<PlatformParts, 'clock' | 'language'> & {
    dnc: Pick<DncService, 'toHandOff' | 'handedOff'>
    store: FileStore
  },
) {
  const { dnc, store, clock, language } = parts
  return async ({ all }: { all: boolean }): Promise<{ fileId: string; name: string; count: number }> => {
    const name = `hold-hand-off-${utcDay(clock.now())}.csv`
    const { fileId, path } = store.create(name)
    const target = createTarget(path)
    const ids: number[] = []
    try {
      target.row(titlesOf(['phone', 'source', 'evidence', 'since', 'event'], language()))
      for (;;) {
        const holds = dnc.toHandOff(all, ids.at(-1) ?? 0, perTurn)
        for (const { id, phone, number, source, evidence, since, eventSeq } of holds) {
          ids.push(id)
          target.row([number ?? phone, source, evidence, since, eventSeq === null ? '' : String(eventSeq)])
        }
        if (holds.length < perTurn) break
        await nextTurn()
      }
      target.finish()
    } finally {
      target.abandon()
    }
    store.finish(fileId)
    for (let at = 0; at < ids.length; at += perTurn) {
      dnc.handedOff(ids.slice(at, at + perTurn))
      await nextTurn()
    }
    return { fileId, name, count: ids.length }
  }
}
