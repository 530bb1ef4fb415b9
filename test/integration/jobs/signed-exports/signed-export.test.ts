import Sqlite from 'better-sqlite3'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { writeSignedExport } from '#electron/jobs/signed-exports/signed-export.ts'
import { openJournal } from '#electron/listener/journal.ts'
import { freeControl } from '../../../helpers/job-control.ts'
import { dlr } from '../../../helpers/listener.ts'
import { openEvents } from '../../../helpers/open-events.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

let folder: string
const file = (name: string) => join(folder, name)

/** Changes a database as another thread does during an export. */
function change(name: string, sql: string): void {
  const db = new Sqlite(file(name))
  db.exec(sql)
  db.close()
}

/** Writes a signed export; `meanwhile` runs when its events are written, before it closes. */
const write = (meanwhile: () => void) => {
  const files = { contactsFile: '', searchFile: '', cacheFile: '' }
  const texts = { console: 'a', connection: 'b', base_url: 'c', from: '', to: '', made_at: '' }
  const header = { format: 'switchboard-recording', version: 1, ...texts } as unknown as Parameters<
    typeof writeSignedExport
  >[0]['header']
  return writeSignedExport(
    {
      ...files,
      target: file('span.ndjson'),
      stateFile: file('state.db'),
      journalFile: file('journal.db'),
      header,
      signer: { public_key: 'd', fingerprint: 'e', gaps: [] },
      fromMs: 0,
      toMs: 10_000,
      upToSeq: 2,
    },
    freeControl({ progress: meanwhile }),
  )
}

beforeEach(async () => {
  folder = tempFolder()
  const journal = openJournal({ file: file('journal.db'), log: quietLog, now: () => 1_000 })
  journal.append(
    ['m-1', 'm-2'].map((id) => ({
      receivedMs: 1_000,
      verdict: 'signed' as const,
      secretId: 'first',
      remote: '127.0.0.1',
      headersJson: '[]',
      body: Buffer.from(dlr(id)),
    })),
  )
  journal.close()
  const events = openEvents(file('journal.db'))
  await events.feature.projector.caughtUp()
  await events.close()
})

test('exports an event without its body when its delivery is lost', async () => {
  change('journal.db', 'DELETE FROM deliveries WHERE seq = 1')
  expect(await write(() => {})).toMatchObject({ events: 2 })
  const lines = readFileSync(file('span.ndjson'), 'utf8').trimEnd().split('\n')
  expect(lines.slice(1).map((line) => (JSON.parse(line) as { body: string | null }).body)).toEqual([
    null,
    dlr('m-2'),
  ])
})

test('writes no file when an event and its delivery are deleted meanwhile', async () => {
  change('journal.db', 'DELETE FROM deliveries WHERE seq = 1')
  const writing = write(() => change('state.db', 'DELETE FROM events WHERE seq = 1'))
  await expect(writing).rejects.toMatchObject({
    code: 'SIGNED_EXPORT_CHANGED',
    data: { expected: 2, found: 1 },
  })
})
