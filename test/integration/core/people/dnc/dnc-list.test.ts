import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { DncEntry, DncEntryId } from '#contract/domain.ts'
import { createDncRepository, type Sync } from '#electron/core/people/dnc/dnc.repository.ts'
import type { Which } from '#electron/core/people/dnc/dnc-list.ts'
import { createDncSync } from '#electron/core/people/dnc/dnc-sync.ts'
import { openDatabase } from '#electron/database/open.ts'
import { createLog } from '#electron/lib/log.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

const log = createLog(() => {}, 'test')

function openList(country: string | null = null) {
  const opened = openDatabase({ file: join(tempFolder(), 'cache.db'), schema: 'cache', log })
  onTestFinished(opened.close)
  return { db: opened.db, repository: createDncRepository(opened.db, () => country) }
}

const entry = (n: number, phoneNumber = `+1415${1_000_000 + n}`): DncEntry => ({
  id: `e-${n}` as DncEntryId,
  tenantId: null,
  phoneNumber,
  reason: n % 7 === 0 ? `Complaint ${n}` : `asked ${n}`,
  createdAt: null,
})

test('keeps stored counts equal to fresh counts through additions, changes and deletions', () => {
  const { db, repository } = openList()
  const random = seededRandom(11)
  const roll = (below: number) => Math.floor(random() * below)
  const counted = (sweep: number) => ({
    ...(db
      .prepare(
        'SELECT count(*) AS entries, count(*) FILTER (WHERE digits IS NULL) AS unreadable FROM dnc_entries WHERE gone_ms IS NULL',
      )
      .get() as { entries: number; unreadable: number }),
    seen: db.prepare('SELECT count(*) FROM dnc_entries WHERE seen_sweep = ?').pluck().get(sweep),
  })
  const stored = (sweep: number) => ({ ...repository.counts(), seen: repository.seenIn(sweep) })
  let sync = repository.begin(0)
  const page = () =>
    Array.from({ length: 1 + roll(8) }, () => entry(roll(60), roll(3) === 0 ? 'withheld' : undefined))
  for (let step = 0; step < 200; step++) {
    const what = roll(10)
    if (what < 7) repository.takePage(sync, page(), step)
    else if (what === 7) sync = { ...sync, sweep: sync.sweep + 1 }
    else if (what === 8) {
      repository.finish(sync, step)
      sync = repository.begin(step)
    } else {
      // A page that cannot be stored whole is not stored at all.
      const broken = { ...entry(99), phoneNumber: null } as unknown as DncEntry
      expect(() => repository.takePage(sync, [...page(), broken], step)).toThrow()
    }
    expect(stored(sync.sweep)).toEqual(counted(sync.sweep))
  }
})

function fill(count: number): ReturnType<typeof openList> & { sync: Sync } {
  const list = openList()
  const { repository } = list
  const sync = repository.begin(0)
  for (let from = 0; from < count; from += 1_000)
    repository.takePage(
      sync,
      Array.from({ length: Math.min(1_000, count - from) }, (_, at) => entry(from + at)),
      0,
    )
  return { ...list, sync: repository.finish(sync, 1) }
}

test('remembers its counts instead of recounting a long list', async () => {
  const { db, repository, sync } = fill(100)
  const ask = async () => ({
    ...repository.counts(),
    seen: repository.seenIn(sync.sweep),
    added: (await repository.list({ which: 'added', limit: 1, afterId: 0, sync })).total,
  })
  const before = await ask()
  expect(before).toEqual({ entries: 100, unreadable: 0, seen: 100, added: 100 })
  // Changed behind its back: a second count would see it.
  db.exec("DELETE FROM dnc_entries WHERE key = 'e-50'")
  expect(await ask()).toEqual(before)
})

test('yields during a long search and ends a search without a reader', async () => {
  const { repository, sync } = fill(12_000)
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const query = { text: 'complaint 2', which: 'all', limit: 5, afterId: 0, sync } as const
  const { items, total } = await repository.list(query)
  expect(turns).toBeGreaterThanOrEqual(3)
  expect(items.map(({ reason }) => reason)).toEqual([
    'Complaint 21',
    'Complaint 28',
    'Complaint 203',
    'Complaint 210',
    'Complaint 217',
  ])
  expect(total).toBe(
    Array.from({ length: 12_000 }, (_, n) => n).filter((n) => n % 7 === 0 && `${n}`.startsWith('2')).length,
  )
  turns = 0
  const aborted = AbortSignal.abort()
  await repository.list({ ...query, text: 'asked', signal: aborted })
  expect(turns).toBeLessThanOrEqual(1)
  isOver = true
  // Its partial count is not taken for the total.
  expect((await repository.list({ ...query, text: 'asked' })).total).toBe(12_000 - Math.ceil(12_000 / 7))
})

test('pages by text return and count what a scan of each entry finds', async () => {
  const { repository } = openList()
  const all = Array.from({ length: 12_000 }, (_, n) => entry(n, n % 50 === 0 ? `withheld ${n}` : undefined))
  const whole = (entries: readonly DncEntry[], nowMs: number) => {
    const sync = repository.begin(nowMs)
    repository.takePage(sync, entries, nowMs)
    return repository.finish(sync, nowMs)
  }
  whole(all.slice(0, 9_000), 1)
  const sync = whole(
    all.filter((_, n) => n % 10 !== 3 || n >= 9_000),
    2,
  )
  const isOf: Record<Which, (n: number) => boolean> = {
    all: (n) => n >= 9_000 || n % 10 !== 3,
    added: (n) => n >= 9_000,
    removed: (n) => n < 9_000 && n % 10 === 3,
    unreadable: (n) => n % 50 === 0,
  }
  const texts = { complaint: /complaint/i, 'ED 1': /ed 1/i, withheld: /^withheld/, '41510005': /41510005/ }
  for (const which of ['all', 'added', 'removed', 'unreadable'] as const)
    for (const [text, pattern] of [['', /^/] as const, ...Object.entries(texts)]) {
      const wanted = all
        .filter(
          ({ phoneNumber, reason }, n) =>
            isOf[which](n) && (pattern.test(phoneNumber) || pattern.test(reason!)),
        )
        .map(({ phoneNumber }) => phoneNumber)
      const found: string[] = []
      for (let afterId = 0; ;) {
        const { items, total } = await repository.list({ text, which, limit: 400, afterId, sync })
        expect([which, text, total]).toEqual([which, text, wanted.length])
        found.push(...items.map(({ phoneNumber }) => phoneNumber))
        if (items.length < 400) break
        afterId = items.at(-1)!.id
      }
      expect(found).toEqual(wanted)
    }
  const count = async () =>
    (await repository.list({ text: 'complaint', which: 'all', limit: 1, afterId: 0, sync })).total
  const before = await count()
  repository.takePage(repository.begin(3), [entry(14_000)], 3)
  expect(await count()).toBe(before + 1)
})

test.each([
  ['changed while it is read', false],
  ['changed after an interruption', true],
])('reads the list from its start with an API key that was %s', async (_when, isInterrupted) => {
  const { repository } = openList()
  const all = Array.from({ length: 101 }, (_, n) => entry(n))
  const asked: string[] = []
  let key = 'first'
  async function list({ page }: { page: number }) {
    asked.push(`${key} ${page}`)
    if (key === 'first' && page === 2) throw new Error('interrupted')
    if (!isInterrupted) key = 'second'
    return { items: all.slice(100 * (page - 1), 100 * page), total: all.length, perPage: 100 }
  }
  const credentials = { identity: () => key }
  const sync = createDncSync({
    client: { dnc: { list } },
    credentials,
    clock: createFakeClock(),
    repository,
  } as never)
  const context = { id: 't', report() {}, pausePoint: () => Promise.resolve() } as never
  if (isInterrupted) await expect(sync(context)).rejects.toThrow('interrupted')
  key = isInterrupted ? 'second' : key
  await sync(context)
  const before = isInterrupted ? ['first 1', 'first 2'] : ['first 1', 'second 2']
  expect(asked).toEqual([...before, 'second 1', 'second 2'])
  expect(repository.counts().entries).toBe(101)
})

test('lists no entry as added once its ID has another number', async () => {
  const { repository } = openList()
  const first = repository.begin(0)
  repository.takePage(first, [entry(1), entry(2)], 0)
  const sync = repository.finish(first, 1)
  repository.takePage(repository.begin(2), [entry(1, '+14155559999')], 2)
  const { items } = await repository.list({ which: 'added', limit: 5, afterId: 0, sync })
  expect(items.map(({ entryId }) => entryId)).toEqual(['e-2'])
})

test('finds reasons without their accents, apostrophes and hyphens as typed', async () => {
  const { repository } = openList()
  const sync = repository.begin(1)
  const reasons = ['Österreich', 'Asked by O’Brien', 'Zoë Smith‑Jones', 'كريم', null]
  repository.takePage(
    sync,
    reasons.map((reason, n) => ({ ...entry(n), reason })),
    1,
  )
  const done = repository.finish(sync, 1)
  for (const [text, reason] of [
    ['österreich', 'Österreich'],
    ['OSTERREICH', 'Österreich'],
    ["o'brien", 'Asked by O’Brien'],
    ['zoe smith-jones', 'Zoë Smith‑Jones'],
    ['کریم', 'كريم'],
  ] as const) {
    const { items, total } = await repository.list({ text, which: 'all', limit: 10, afterId: 0, sync: done })
    expect([text, total, items.map((item) => item.reason)]).toEqual([text, 1, [reason]])
  }
})

test.each([
  '+44 (0)7400 123456',
  '07400 123456',
  'whatsapp:+447400123456',
  '447400123456.0',
  '7400 123',
  '+44 7400',
])('finds +447400123456 by %s', async (text) => {
  const { repository } = openList('GB')
  const sync = repository.begin(0)
  const numbers = ['+447400123456', '+447400923457', 'NaN']
  repository.takePage(
    sync,
    numbers.map((phoneNumber, at) => ({ ...entry(at), phoneNumber })),
    0,
  )
  const query = { text, which: 'all', limit: 5, afterId: 0, sync: repository.finish(sync, 1) } as const
  const { items } = await repository.list(query)
  expect(items[0]?.phone).toBe('+447400123456')
  if (text.replace(/\D/g, '').length > 8) expect(items).toHaveLength(1)
})
