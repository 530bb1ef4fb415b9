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

const write = () =>
  writeSignedExport(
    {
      contactsFile: '',
      searchFile: '',
      cacheFile: '',
      target: file('span.ndjson'),
      stateFile: file('state.db'),
      journalFile: file('journal.db'),
      header: {
        format: 'switchboard-signed-export',
        version: 1,
        console: 'a',
        connection: 'b',
        service: 'c',
        from: '',
        to: '',
        made_at: '',
      },
      signer: { public_key: 'd', gaps: [] },
      fromMs: 0,
      toMs: 10_000,
      upToSeq: 2,
    },
    freeControl(),
  )

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
  expect(await write()).toMatchObject({ events: 2 })
  const lines = readFileSync(file('span.ndjson'), 'utf8').trimEnd().split('\n')
  expect(lines.slice(1).map((line) => (JSON.parse(line) as { body: string | null }).body)).toEqual([
    null,
    dlr('m-2'),
  ])
})

test('states how many events arrived when some were deleted', async () => {
  change('state.db', 'DELETE FROM events WHERE seq = 1')
  expect(await write()).toMatchObject({ events: 1 })
  const [header, first] = readFileSync(file('span.ndjson'), 'utf8').split('\n')
  expect(JSON.parse(header!)).toMatchObject({ arrived: 2 })
  expect(JSON.parse(first!)).toMatchObject({ n: 1, seq: 2 })
})

test('leaves out headers that look like credentials, should a journal hold some', async () => {
  const headers = [
    ['content-type', 'application/json'],
    ['X-Api-Key', 'planted'],
    ['cookie', 'planted'],
  ]
  change('journal.db', `UPDATE deliveries SET headers_json = '${JSON.stringify(headers)}'`)
  await write()
  const text = readFileSync(file('span.ndjson'), 'utf8')
  expect(text).toContain('content-type')
  expect(text).not.toContain('planted')
})
