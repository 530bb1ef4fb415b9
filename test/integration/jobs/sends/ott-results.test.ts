import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createOutboxDecisions } from '#electron/core/people/outbox/outbox-decisions.ts'
import { createSentMessages } from '#electron/core/people/templates/sent-messages.ts'
import { createOutboxRepository } from '#electron/core/people/outbox/outbox.repository.ts'
import type { StoredItem } from '#electron/core/people/outbox/stored-item.ts'
import { openDatabase } from '#electron/database/open.ts'
import type { Language } from '#electron/contract/texts.ts'
import type { JobControl } from '#electron/jobs/run/job-control.ts'
import { writeResults } from '#electron/jobs/sends/ott-results.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const phone = '+442079460000'
const control = { progress: () => {}, checkpoint: () => Promise.resolve() } as unknown as JobControl

/** An outbox with unanswered sends of one text to one number each. */
function start(...batchIds: string[]) {
  const folder = tempFolder()
  const stateFile = join(folder, 'state.db')
  const opened = openDatabase({ file: stateFile, schema: 'state', log: quietLog })
  onTestFinished(() => opened.close())
  const repository = createOutboxRepository(opened.db)
  const clock = createFakeClock()
  let batches = 0
  const told: (string | null)[] = []
  const decisions = createOutboxDecisions({
    repository,
    clock,
    connection: () => ({ production: false, name: 'x' }) as never,
    isInContacts: () => true,
    withoutText: (selection) => Promise.resolve(selection),
    blockedBecause: () => null,
    begin: (title) => {
      const id = `again-${++batches}`
      repository.addBatch({ id, kind: 'resend', title, createdMs: clock.now() })
      return id
    },
    changed: () => {},
    wake: () => {},
    onDone: ({ serviceId }) => told.push(serviceId),
  })

  function add(batchId: string): number {
    const body = { to: phone, templateId: 't', variables: { name: 'Ada' } }
    const item = {
      operation: 'send-ott',
      name: 'Ada',
      phone,
      contactId: null,
      serviceId: null,
      body,
      afterId: null,
    } as const
    return repository.add(batchId, item, 'queued', clock.now())
  }
  const end = (id: number, change: Partial<StoredItem>) =>
    repository.update(id, { ...change, sentMs: clock.now(), endedMs: clock.now() })

  const ids = batchIds.map((batchId) => {
    repository.addBatch({ id: batchId, kind: 'ott', title: batchId, createdMs: clock.now() })
    const id = add(batchId)
    end(id, { state: 'unknown' })
    return id
  })
  /** Resends an unconfirmed item. Returns the new one. */
  async function again(id: number): Promise<number> {
    await decisions.resolve({ selection: { ids: [id] }, how: 'send-again' })
    return repository.list({ batchId: `again-${batches}` }, 1, undefined).items[0]!.id
  }
  /** Outcome, reason and message ID of each recipient of a send. */
  async function resultsOf(batchId: string, language?: Language): Promise<string[][]> {
    const target = join(folder, `${batchId}.csv`)
    await writeResults(
      {
        job: 'ott-results',
        stateFile,
        batchId,
        left: join(folder, 'none'),
        table: null,
        target,
        variables: ['name'],
        language,
      } as never,
      control,
    )
    const [, ...rows] = readFileSync(target, 'utf8').trim().split('\r\n')
    return rows.map((row) => row.slice(1, -1).split('","').slice(3, 6))
  }
  return { db: opened.db, ids, add, end, again, resultsOf, decisions, told }
}

test('tells of a request marked as done only when a person gave its ID', async () => {
  const { ids, decisions, told } = start('a', 'b', 'c')
  await decisions.resolve({ selection: { ids: ids.slice(0, 2) }, how: 'mark-done', serviceId: 'm-1' })
  expect(told).toEqual([])
  await decisions.resolve({ selection: { ids: ids.slice(2) }, how: 'mark-done', serviceId: 'm-1' })
  expect(told).toEqual(['m-1'])
})

test('credits a resend to its own send when another has the same text', async () => {
  const { db, ids, add, end, again, resultsOf, decisions } = start('morning', 'evening')
  const [morning, evening] = ids as [number, number]
  // The later one is resolved first, and the earlier one twice.
  const ofEvening = await again(evening)
  const ofMorning = await again(morning)
  end(ofEvening, { state: 'done', serviceId: 'm-evening' })
  end(ofMorning, { state: 'unknown' })
  const ofMorningAgain = await again(ofMorning)
  const { stateOf, to } = createSentMessages(
    db,
    { byServiceId: () => null },
    { to: () => [], as: () => undefined },
  )
  expect(stateOf('morning')).toBe('open')
  end(ofMorningAgain, { state: 'rejected' })
  expect(stateOf('morning'), 'its last try counts').toBe('rejected')
  end(ofMorningAgain, { state: 'unknown' })
  expect(stateOf('morning')).toBe('in-part')
  const skipped = { state: 'rejected', problem: { code: 'ON_DNC', data: {} } } as const
  end(ofMorningAgain, skipped)
  expect(stateOf('morning'), 'nothing was sent').toBe('rejected')
  end(ofMorningAgain, { state: 'done', serviceId: 'm-morning', problem: null })
  expect(stateOf('morning')).toBe('done')
  expect(await resultsOf('morning')).toEqual([['sent', '', 'm-morning']])
  expect(await resultsOf('evening')).toEqual([['sent', '', 'm-evening']])
  await decisions.sendAgain([ofEvening], { key: 'batch.resent' }, false, () => true)
  await decisions.cancel({ selection: { filter: { states: ['queued'] } } })
  expect(await resultsOf('evening'), 'a cancelled resend replaces nothing').toEqual([
    ['sent', '', 'm-evening'],
  ])
  const other = add('morning')
  end(other, skipped)
  expect(to(phone, { limit: 1 })).toMatchObject([{ itemId: other, state: 'not-sent', batchTitle: 'morning' }])
  expect(stateOf('morning'), 'who must not be contacted was not rejected').toBe('done')
  end(other, { state: 'rejected', problem: null })
  expect(stateOf('morning')).toBe('in-part')
})

test('writes reasons in the chosen language', async () => {
  const { ids, end, resultsOf } = start('morning')
  end(ids[0]!, {
    state: 'rejected',
    problem: { code: 'SERVICE_TIMEOUT', data: { host: 'api.example' } } as never,
  })
  expect(await resultsOf('morning', 'es')).toEqual([
    ['not sent', expect.stringContaining('api.example no ha respondido a tiempo.'), ''],
  ])
})
