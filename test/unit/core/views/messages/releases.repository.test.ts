import Sqlite from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { createLookupsRepository } from '#electron/core/views/messages/lookups.repository.ts'
import { createReleasesRepository } from '#electron/core/views/messages/releases.repository.ts'
import { migrate } from '#electron/database/migrate.ts'
import { schemas } from '#electron/database/schemas.ts'

let db: Sqlite.Database
beforeEach(() => {
  db = new Sqlite(':memory:')
  migrate(db, schemas.state.migrations)
  return () => db.close()
})

test('marks a release in flight at the end as unconfirmed; an unsent one waits', () => {
  const before = createReleasesRepository(db)
  const [left, waiting] = before.add(['a', 'b'], 'run', 1_000)
  before.leaves(left!, 2_000)
  const after = createReleasesRepository(db)
  expect(after.settleInterrupted(9_000)).toBe(1)
  expect(after.get(left!)).toMatchObject({
    state: 'unknown',
    problem: { code: 'CRASHED_IN_FLIGHT' },
    at: '1970-01-01T00:00:02.000Z',
  })
  expect(after.get(waiting!)).toMatchObject({ state: 'waiting', at: null })
  expect(after.newestRun()).toBe('run')
})

test('returns an unsent release to waiting, outside the message’s history', () => {
  const repository = createReleasesRepository(db)
  const [seq] = repository.add(['a'], null, 1_000)
  repository.leaves(seq!, 2_000)
  repository.cameBack(seq!)
  expect(repository.ofMessage('a')).toEqual([])
  repository.settle(
    seq!,
    {
      state: 'refused',
      problem: new AppError('SERVICE_REJECTED', { serviceText: 'no' }),
    },
    3_000,
  )
  expect(repository.ofMessage('a')).toMatchObject([
    { state: 'refused', problem: { code: 'SERVICE_REJECTED' } },
  ])
})

test('limits lookups and keeps no record of an ID that is not among them', () => {
  const lookups = createLookupsRepository(db)
  for (let index = 0; index < 510; index++) lookups.remember(`m-${index}`, index)
  expect(db.prepare('SELECT count(*) FROM message_lookups').pluck().get()).toBe(500)
  for (const id of ['m-0', 'm-509']) lookups.records.put(id, '{"status":"pending"}', 1)
  expect(lookups.records.get('m-0')).toBeUndefined()
  expect(lookups.records.get('m-509')).toEqual({ bodyJson: '{"status":"pending"}', asOfMs: 1 })
})
