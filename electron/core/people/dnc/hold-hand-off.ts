import { writeFileSync } from 'node:fs'
import type { Language } from '../../../contract/texts.ts'
import { titlesOf } from '../../../jobs/run/csv-headers.ts'
import type { Clock } from '../../../lib/clock.ts'
import { writeCsv } from '../../../lib/csv/row-writer.ts'
import { utcDay } from '../../../lib/iso-time.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { DncService } from './dnc.service.ts'

/** Writes local holds to a CSV file for the people who maintain the DNC list. Few rows, so it needs no task. */
export function createHoldHandOff(parts: {
  dnc: Pick<DncService, 'toHandOff' | 'handedOff'>
  store: FileStore
  clock: Clock
  language: () => Language
}) {
  const { dnc, store, clock, language } = parts
  return (all: boolean): { fileId: string; name: string; count: number } => {
    const holds = dnc.toHandOff(all)
    const name = `hold-hand-off-${utcDay(clock.now())}.csv`
    const { fileId, path } = store.create(name)
    const header = titlesOf(['phone', 'source', 'evidence', 'since', 'event'], language())
    const rows = holds.map(({ phone, number, source, evidence, since, eventSeq }) => [
      number ?? phone,
      source,
      evidence,
      since,
      eventSeq === null ? '' : String(eventSeq),
    ])
    writeFileSync(path, writeCsv([header, ...rows]), { mode: 0o600 })
    store.finish(fileId)
    dnc.handedOff(holds.map(({ id }) => id))
    return { fileId, name, count: holds.length }
  }
}
