import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { planCountsSchema } from '#contract/people/templates.ts'
import { createOttSendsRepository } from '#electron/core/people/templates/ott-sends.repository.ts'
import { openDatabase } from '#electron/database/open.ts'
import { createLog } from '#electron/lib/log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

test('reads the counts of a dry run that was stored before some were counted', () => {
  const log = createLog(() => {}, 'test')
  const { db, close } = openDatabase({ file: join(tempFolder(), 'state.db'), schema: 'state', log })
  onTestFinished(close)
  const { maybeListed, refused, sentLately, readableTwoWays, ...old } = planCountsSchema.parse(
    Object.fromEntries(Object.keys(planCountsSchema.shape).map((name) => [name, 0])),
  )
  const later = { maybeListed, refused, sentLately, readableTwoWays }
  db.prepare(
    `INSERT INTO ott_sends (id, template_key, template_id, template_name, channel_id, subject, order_json, created_ms, counts_json)
     VALUES ('s1', 1, 't1', 'Sum', 'c1', 'list.csv', '{}', 0, ?)`,
  ).run(JSON.stringify({ ...old, willSend: 2 }))
  expect(createOttSendsRepository(db).get('s1')?.counts).toEqual({ ...old, ...later, willSend: 2 })
})
