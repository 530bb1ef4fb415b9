import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DncCache } from '#contract/people/dnc.ts'
import { type Clock, sleepWith, systemClock } from '#electron/lib/clock.ts'
import { startTestCoreAt, usualAnswer } from '../../../../helpers/answering-service.ts'
import { textOf } from '../../../../helpers/contact-files.ts'
import { checkList, dncCache as cache, syncDnc } from '../../../../helpers/dnc.ts'
import { changeFile } from '../../../../helpers/held-write.ts'
import { deliverSigned } from '../../../../helpers/signed-delivery.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { restartCore, startInSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd, taskWhere } from '../../../../helpers/wait-for.ts'

const start = (dncCount = 250) => startInSandbox({ sandbox: { dncCount } })

type PageOf = (page: number) => { data: unknown[]; total?: number }

/** A console at a service whose DNC list has these pages. */
const listService = (pageOf: PageOf, clock?: Clock) =>
  startTestCoreAt(
    (asked) => {
      if (asked.path !== '/dnc') return usualAnswer(asked)
      const page = Number(asked.query.get('page') ?? 1)
      return [200, { ...pageOf(page), page, per_page: 100 }]
    },
    clock ? { clock } : {},
  )

/** A page of a whole list. */
const pageIn = (all: readonly unknown[], page: number) => ({
  data: all.slice((page - 1) * 100, page * 100),
  total: all.length,
})

const entry = (n: number) => ({ id: `e-${n}`, phone_number: `+1415555${String(1000 + n)}`, reason: `r${n}` })
const withoutId = (n: number) => ({ phone_number: `+1415556${1_000 + n}` })
const entries = (count: number, make: (n: number) => unknown = entry) =>
  Array.from({ length: count }, (_, n) => make(n))

describe('the offline copy', () => {
  test('calls numbers clear only once it is complete', async () => {
    const { rpc } = await start()
    const number = '+14155550100'
    expect((await rpc.dnc.checkOffline({ phones: [number], region: 'US' })).verdicts[0]).toMatchObject({
      verdict: 'not-known',
      reason: { key: 'dnc.never' },
    })
    expect(await syncDnc(rpc)).toMatchObject({ state: 'done' })
    const { items, total, cache: copy } = await rpc.dnc.list({ which: 'all', limit: 500 })
    expect(total).toBe(250)
    expect(copy).toMatchObject({ state: 'fresh', entries: 250, drift: null, sync: null })
    const listed = items.find(({ phone }) => phone !== null)!
    const { verdicts } = await rpc.dnc.checkOffline({
      phones: [listed.phoneNumber, number, 'nonsense'],
      region: 'US',
    })
    expect(verdicts.map(({ verdict, source }) => [verdict, source])).toEqual([
      ['blocked', 'dnc'],
      ['clear', 'none'],
      ['unparsable', 'none'],
    ])
  })

  test('calls nothing clear when outdated but still blocks listed numbers', async () => {
    let laterMs = 0
    const clock = { ...systemClock, now: () => systemClock.now() + laterMs }
    const { rpc } = await listService(() => ({ data: [entry(1)], total: 1 }), clock)
    await syncDnc(rpc)
    const verdicts = async () => {
      const answer = await rpc.dnc.checkOffline({ phones: ['+14155551001', '+14155550100'], region: 'US' })
      return [answer.cache.state, ...answer.verdicts.map(({ verdict }) => verdict)]
    }
    expect(await verdicts()).toEqual(['fresh', 'blocked', 'clear'])
    await rpc.dnc.setMaxAge({ maxAgeMs: 60_000 })
    laterMs = 61_000
    expect(await verdicts()).toEqual(['stale', 'blocked', 'not-known'])
    // A clock that was set back does not make the copy fresh.
    laterMs = -61_000
    expect(await verdicts()).toEqual(['stale', 'blocked', 'not-known'])
  })

  test('reports another number under the same ID as one removed and one added', async () => {
    let phone_number = '+14155551001'
    const { rpc } = await listService(() => ({ data: [{ ...entry(1), phone_number }, entry(2)], total: 2 }))
    await syncDnc(rpc)
    phone_number = '+14155551009'
    await syncDnc(rpc)
    expect(await cache(rpc)).toMatchObject({ entries: 2, drift: { added: 1, removed: 1 } })
    const phones = async (which: 'all' | 'added' | 'removed') =>
      (await rpc.dnc.list({ which, limit: 10 })).items.map(({ phone }) => phone)
    expect(await phones('removed')).toEqual(['+14155551001'])
    expect(await phones('added')).toEqual(['+14155551009'])
    expect(await phones('all')).toEqual(['+14155551002', '+14155551009'])
    const { verdicts } = await rpc.dnc.checkOffline({
      phones: ['+14155551001', '+14155551009'],
      region: 'US',
    })
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['clear', 'blocked'])
    await syncDnc(rpc)
    expect((await cache(rpc)).drift).toEqual({ added: 0, removed: 0 })
  })

  test('keeps blocking entries that are gone at once, until someone confirms or they are listed again', async () => {
    let list = entries(60)
    const { rpc } = await listService((page) => pageIn(list, page))
    const after = async (count: number) => {
      list = entries(count)
      await syncDnc(rpc)
      return cache(rpc)
    }
    const verdicts = async () => {
      const phones = ['+14155551002', '+14155551020']
      return (await rpc.dnc.checkOffline({ phones, region: 'US' })).verdicts.map(({ verdict }) => verdict)
    }
    const useShorter = ({ kept, asOf }: DncCache) => rpc.dnc.useShorterList({ kept, asOf: asOf! })
    await after(60)
    expect(await after(0)).toMatchObject({ state: 'fresh', entries: 60, kept: 60, drift: { removed: 0 } })
    expect(await after(60)).toMatchObject({ entries: 60, kept: 0 })
    const shown = await after(9)
    expect(shown).toMatchObject({ entries: 60, kept: 51 })
    expect(await after(9)).toMatchObject({ entries: 60, kept: 51 })
    // Less than half is missing then, and less than 50.
    expect(await after(40)).toMatchObject({ entries: 60, kept: 20 })
    expect(await after(9)).toMatchObject({ entries: 60, kept: 51 })
    await expect(useShorter(shown)).rejects.toMatchObject({ code: 'DNC_LIST_CHANGED' })
    expect(await verdicts()).toEqual(['blocked', 'blocked'])
    const shorter = await useShorter(await cache(rpc))
    expect(shorter).toMatchObject({ state: 'fresh', entries: 9, kept: 0, drift: { removed: 51 } })
    expect(await verdicts()).toEqual(['blocked', 'clear'])
    expect(await after(4)).toMatchObject({ entries: 4, kept: 0 })
    expect(await after(0)).toMatchObject({ entries: 4, kept: 4 })
  })

  test.each([
    ['goes', 250],
    ['goes and another comes', 251],
  ])('loses no entry that moves to a page already read while one %s', async (_, end) => {
    let calls = 0
    const { rpc } = await listService((page) => {
      // From the second page of the second sync.
      const isLater = ++calls > 4
      return pageIn(entries(end).slice(isLater ? 1 : 0, isLater ? end : 250), page)
    })
    for (const total of [250, end]) {
      await syncDnc(rpc)
      expect(await cache(rpc)).toMatchObject({ state: 'fresh', entries: total })
    }
    // That sync saw the deleted entry; the next one finds it gone.
    await syncDnc(rpc)
    expect((await rpc.dnc.list({ which: 'removed', limit: 10 })).items.map(({ reason }) => reason)).toEqual([
      'r0',
    ])
  })

  test('reads a list again whose total changed and came back', async () => {
    let calls = 0
    const { rpc } = await listService((page) => ({
      ...pageIn(entries(250), page),
      total: ++calls === 2 ? 251 : 250,
    }))
    expect(await syncDnc(rpc)).toMatchObject({ state: 'done' })
    expect(calls).toBe(6)
  })

  const failed = { state: 'failed', problem: { code: 'DNC_MOVING' } }
  test.each<
    [
      what: string,
      pageOf: (page: number, call: number) => ReturnType<PageOf>,
      task: object,
      Partial<DncCache>,
    ]
  >([
    [
      'does not call a constantly changing list complete or any entry removed',
      (page, call) => ({
        data: page > 2 ? [] : entries(100, (n) => entry(page * 100 + n)),
        total: 200 + call,
      }),
      failed,
      { state: 'partial', entries: 200 },
    ],
    [
      'does not call a list complete whose service sends the first page for each',
      () => ({ data: entries(100, withoutId), total: 200 }),
      failed,
      {},
    ],
    [
      'ends when the service repeats its last page forever',
      (page) => pageIn(entries(200), Math.min(page, 2)),
      { state: 'done' },
      { entries: 200 },
    ],
    [
      'misses none that moves to a page already read in the first sync, without a total',
      (page, call) => ({ data: pageIn(entries(251).slice(call > 1 ? 1 : 0), page).data }),
      { state: 'done' },
      { state: 'fresh', entries: 251 },
    ],
    [
      'completes a first list without a total that gains an entry at each sweep',
      (page, call) => ({ data: pageIn(entries(150 + Math.ceil(call / 3)), page).data }),
      { state: 'done' },
      { state: 'fresh', entries: 152 },
    ],
    [
      'completes a list whose total is always one too high',
      (page) => ({ ...pageIn(entries(250), page), total: 251 }),
      { state: 'done' },
      { state: 'fresh', entries: 250 },
    ],
    [
      'completes no list that lacks two of its total',
      (page) => ({ ...pageIn(entries(250), page), total: 252 }),
      failed,
      { state: 'partial', entries: 250 },
    ],
    [
      'completes a list whose records without an ID are alike, on one page or several',
      (page) => pageIn([withoutId(0), ...entries(99, withoutId), withoutId(0)], page),
      { state: 'done' },
      { state: 'fresh', entries: 99, unreadable: 0 },
    ],
    [
      'keeps both numbers of entries that share an ID',
      () => pageIn([entry(0), { ...entry(1), id: 'e-0' }], 1),
      { state: 'done' },
      { state: 'fresh', entries: 2 },
    ],
    [
      'proves nothing by a list of which no entry can be read',
      () =>
        pageIn(
          [
            { id: 'e-1', value: '+14155551000' },
            { id: 'e-2', phone_number: 'a1b2c3' },
          ],
          1,
        ),
      { state: 'done' },
      { state: 'unreadable', entries: 2 },
    ],
    [
      'proves nothing by a list of which many entries say nothing of a number',
      () => pageIn([...entries(8), { id: 'e-9', value: '+14155551000' }], 1),
      { state: 'done' },
      { state: 'unreadable', entries: 9, unreadable: 1 },
    ],
    [
      'expects no number of email addresses',
      () => pageIn([entry(0), { id: 'e-1', phone_number: null, email: 'ana@example.com' }], 1),
      { state: 'done' },
      { state: 'fresh', entries: 2, unreadable: 1 },
    ],
    [
      'does not miss an entry without an ID that moves to a page already read',
      // The first sweep gets the first record twice and never the last.
      (page, call) => pageIn([...entries(100, withoutId), withoutId(call === 2 ? 0 : 100)], page),
      { state: 'done' },
      { state: 'fresh', entries: 101 },
    ],
  ])('%s', async (_, pageOf, task, copy) => {
    let calls = 0
    const { rpc } = await listService((page) => pageOf(page, ++calls))
    expect(await syncDnc(rpc)).toMatchObject(task)
    expect(await cache(rpc)).toMatchObject(copy)
  })

  test('resumes an interrupted sync, even after a restart', async () => {
    const first = await start(1_500)
    first.sandbox.setFault('slow', { delayMs: 150, path: '/dnc' })
    const { taskId } = await first.rpc.dnc.sync()
    await taskWhere(first.rpc, taskId, ({ progress }) => progress.done >= 3)
    await first.stopCore()
    first.sandbox.setFault(null)
    const second = await restartCore(first)
    const { sync: left } = await cache(second.rpc)
    expect(left).toMatchObject({ state: 'interrupted' })
    expect(left!.pagesDone).toBeGreaterThanOrEqual(3)
    await second.rpc.tasks.resume({ id: taskId })
    expect(await taskEnd(second.rpc, taskId)).toMatchObject({ state: 'done' })
    expect((await cache(second.rpc)).entries).toBe(1_500)
  })

  test('marks contacts and keeps them from being pushed', async () => {
    const { rpc } = await listService(() => ({ data: [entry(1)], total: 1 }))
    const draft = { name: 'Listed', phone: '+14155551001', email: '', tags: {} }
    const { id } = (await rpc.contacts.create(draft)).contact
    await syncDnc(rpc)
    expect(await rpc.contacts.get({ id })).toMatchObject({
      contact: { dnc: true },
      dncEntry: { reason: 'r1' },
    })
    const heldDraft = { ...draft, name: 'Held', phone: '+14155550188' }
    const selection = { ids: [id, (await rpc.contacts.create(heldDraft)).contact.id] }
    await rpc.dnc.hold({ phone: heldDraft.phone, region: 'US', evidence: 'asked by phone' })
    const preview = await rpc.contacts.preview({ selection, action: 'push' })
    expect(preview).toMatchObject({ count: 2, requests: 0, leftOut: { dnc: 1, held: 1 } })
    await rpc.contacts.push({ selection, uncheckedKnowingly: true })
    expect((await rpc.outbox.list({ filter: {} })).total).toBe(0)
  })
})

describe('a push', () => {
  test('needs a confirmation while the offline copy is unreliable', async () => {
    const { rpc } = await start()
    const draft = { name: 'Ada', phone: '+14155550170', email: '', tags: {} }
    const selection = { ids: [(await rpc.contacts.create(draft)).contact.id] }
    const before = await rpc.contacts.preview({ selection, action: 'push' })
    expect(before).toMatchObject({ requests: 1, dncList: { state: 'never', asOf: null } })
    await expect(rpc.contacts.push({ selection })).rejects.toMatchObject({ code: 'DNC_LIST_NOT_FRESH' })
    expect((await rpc.outbox.list({ filter: {} })).total).toBe(0)
    await syncDnc(rpc)
    expect((await rpc.contacts.preview({ selection, action: 'push' })).dncList.state).toBe('fresh')
    expect(await rpc.contacts.push({ selection })).toMatchObject({ count: 1 })
  })
})

describe('holds', () => {
  test('an inbound opt-out keyword holds its sender at once, once, also after a restart', async () => {
    const first = await start()
    const { rpc } = first
    await rpc.contacts.create({ name: 'Sender', phone: '+14155550177', email: '', tags: {} })
    await rpc.listener.addSecret({ label: 'Test', value: 'stop-secret' })
    const { url } = (await rpc.listener.get()).status
    const message = { event: 'mo', source: '+14155550177', destination: '+14155550100', content: ' STOP! ' }
    for (const message_id of ['m-1', 'm-1', 'm-2'])
      await deliverSigned(url!, JSON.stringify({ ...message, message_id }), 'stop-secret')
    await expect.poll(async () => (await rpc.dnc.holds({ which: 'active', limit: 10 })).total).toBe(1)
    const [hold] = (await rpc.dnc.holds({ which: 'active', limit: 10 })).items
    expect(hold).toMatchObject({ phone: '+14155550177', evidence: ' STOP! ', source: 'opt-out' })
    for (const [text, total] of [
      ['stop', 1],
      ['415 555-01', 1],
      ['file.csv', 0],
    ] as const)
      expect((await rpc.dnc.holds({ which: 'active', text })).total, text).toBe(total)
    await expect
      .poll(async () => (await rpc.contacts.byPhone({ phone: '+14155550177' })).contact?.held)
      .toBe(true)
    const { count, fileId } = await rpc.dnc.exportHandOff({ all: false })
    expect(count).toBe(1)
    expect(await textOf(rpc, fileId)).toContain('"+14155550177","opt-out"," STOP! "')
    expect((await rpc.dnc.holds({ which: 'not-handed-off', limit: 10 })).total).toBe(0)
    const second = await restartCore(first)
    expect((await second.rpc.dnc.holds({ which: 'active', limit: 10 })).total).toBe(1)
    await second.rpc.dnc.release({ id: hold!.id })
    expect((await second.rpc.contacts.byPhone({ phone: '+14155550177' })).contact?.held).toBe(false)
  })

  test('a hold ends when a sync shows the number', async () => {
    let listed: unknown[] = []
    const { rpc } = await listService(() => ({ data: listed, total: listed.length }))
    const hold = await rpc.dnc.hold({ phone: '+14155551001', region: 'US', evidence: 'asked by phone' })
    const { verdicts } = await rpc.dnc.checkOffline({ phones: ['+14155551001'], region: 'US' })
    expect(verdicts[0]).toMatchObject({ verdict: 'blocked', source: 'hold', reason: 'asked by phone' })
    listed = [entry(1)]
    await syncDnc(rpc)
    expect((await rpc.dnc.holds({ which: 'ended', limit: 5 })).items).toMatchObject([
      { id: hold.id, endReason: 'on-dnc' },
    ])
  })

  test('a hold of two possible numbers stays while the list has only one of them', async () => {
    const { rpc } = await listService(() => ({
      data: [{ id: 'e-1', phone_number: '+48601223024' }],
      total: 1,
    }))
    const { id, name, colour, production } = (await rpc.connections.list()).connections[0]!
    await rpc.connections.update({ id, name, colour, production, country: 'DE' })
    await rpc.listener.addSecret({ label: 'Test', value: 'stop-secret' })
    const { url } = (await rpc.listener.get()).status
    // Without a plus, the Polish number is also a German one.
    const stop = { event: 'mo', message_id: 'm-1', source: '48601223024', destination: '+14155550100' }
    const body = JSON.stringify({ ...stop, content: 'STOP', received_at: '2026-01-05T09:00:00Z' })
    await deliverSigned(url!, body, 'stop-secret')
    await expect.poll(async () => (await rpc.dnc.holds({ which: 'active', limit: 5 })).total).toBe(1)
    await syncDnc(rpc)
    const { verdicts } = await rpc.dnc.checkOffline({ phones: ['+4948601223024'], region: 'DE' })
    expect(verdicts[0]).toMatchObject({ verdict: 'blocked', source: 'hold' })
  })
})

describe('marks on contacts', () => {
  const listed = ['+14155551001', '+14155551002'] as const
  const held = '+14155550188'
  const free = '+14155550100'
  const draft = (phone: string) => ({ name: 'Someone', phone, email: '', tags: {} })
  const startMarking = async () => {
    const running = await listService(() => ({ data: [entry(1), entry(2)], total: 2 }))
    await syncDnc(running.rpc)
    await running.rpc.dnc.hold({ phone: held, region: 'US', evidence: 'asked by phone' })
    return running
  }
  const marks = ({ dnc, held: isHeld }: { dnc: boolean; held: boolean }) => ({ dnc, held: isHeld })

  /** Ends every hold, as a console does that is killed before it updates its contacts. */
  function endHoldsBehindItsBack({ dataDir }: Pick<RunningCore, 'dataDir'>): void {
    const [connection] = readdirSync(join(dataDir, 'connections'))
    changeFile(
      join(dataDir, 'connections', connection!, 'state.db'),
      "UPDATE holds SET ended_ms = 1, end_reason = 'by-hand' WHERE ended_ms IS NULL",
    )
  }

  test('match the contact’s number as soon as it is added or changed', async () => {
    const { rpc } = await startMarking()
    const ids: number[] = []
    for (const [phone, wanted] of [
      [listed[0], { dnc: true, held: false }],
      [held, { dnc: false, held: true }],
      [free, { dnc: false, held: false }],
    ] as const) {
      const { contact } = await rpc.contacts.create(draft(phone))
      expect([phone, marks(contact)]).toEqual([phone, wanted])
      ids.push(contact.id)
    }
    const move = async (id: number, phone: string) =>
      marks((await rpc.contacts.update({ id, draft: draft(phone) })).contact)
    expect(await move(ids[2]!, listed[1])).toEqual({ dnc: true, held: false })
    expect(await move(ids[0]!, '+14155550101')).toEqual({ dnc: false, held: false })
    expect(await move(ids[1]!, listed[0])).toEqual({ dnc: true, held: false })
    expect(await move(ids[0]!, held)).toEqual({ dnc: false, held: true })
  })

  test('are current when a deletion is undone', async () => {
    const { rpc } = await startMarking()
    const ids: number[] = []
    for (const phone of [held, free, listed[0]])
      ids.push((await rpc.contacts.create(draft(phone))).contact.id)
    const { batchId } = await rpc.contacts.delete({ selection: { ids } })
    const [hold] = (await rpc.dnc.holds({ which: 'active', limit: 1 })).items
    await rpc.dnc.release({ id: hold!.id })
    await rpc.dnc.hold({ phone: free, region: 'US', evidence: 'wrote a letter' })
    expect(await rpc.outbox.undo({ batchId: batchId! })).toMatchObject({ undone: 3 })
    const now = []
    for (const id of ids) now.push(marks((await rpc.contacts.get({ id })).contact))
    expect(now).toEqual([
      { dnc: false, held: false },
      { dnc: false, held: true },
      { dnc: true, held: false },
    ])
  })

  test.each(['start', 'sync'])('of holds that ended unnoticed are cleared at the next %s', async (next) => {
    let running: RunningCore = await startMarking()
    const { id } = (await running.rpc.contacts.create(draft(held))).contact
    const isHeld = async () => (await running.rpc.contacts.get({ id })).contact.held
    if (next === 'start') await running.stopCore()
    endHoldsBehindItsBack(running)
    if (next === 'start') running = await restartCore(running)
    else {
      expect(await isHeld()).toBe(true)
      await syncDnc(running.rpc)
    }
    await expect.poll(isHeld).toBe(false)
  })
})

test('splits a list into files and calls nothing clear without a complete copy', async () => {
  const { rpc } = await listService(() => ({ data: [entry(1)], total: 1 }))
  const source = { text: '+1 415 555 1001\n+14155550100\n\nabc\n415-555-0123' }
  const check = () => checkList(rpc, { name: null, source, region: 'US' })
  expect((await check()).counts).toEqual({
    rows: 4,
    clear: 0,
    blocked: 0,
    refused: 0,
    notKnown: 3,
    maybeListed: 0,
    unparsable: 1,
    readableTwoWays: 0,
  })
  await syncDnc(rpc)
  const { files, ...run } = await check()
  expect(run).toMatchObject({
    name: { key: 'subject.pastedList', n: 4 },
    state: 'done',
    counts: { rows: 4, clear: 2, blocked: 1, notKnown: 0, unparsable: 1 },
  })
  expect((await rpc.tasks.get({ id: run.taskId! })).subject).toEqual(run.name)
  expect(await textOf(rpc, files!.blocked)).toContain('"+1 415 555 1001","+14155551001","r1"')
  expect(await textOf(rpc, files!.unparsable)).toContain('"4","abc","it contains no number"')
  expect(await textOf(rpc, files!.clear)).toContain('"415-555-0123","+14155550123"')
})

test('blocks a listed number outside all numbering plans, alone and in a file', async () => {
  const listed = { id: 'e-odd', phone_number: '+447700219110', reason: 'asked' }
  const { rpc } = await listService(() => ({ data: [listed], total: 1 }))
  await syncDnc(rpc)
  const phones = ['+447700219110', '+44 7700 219110', '+447700219111']
  const { verdicts } = await rpc.dnc.checkOffline({ phones, region: 'US' })
  expect(verdicts.map(({ verdict, phone }) => [verdict, phone])).toEqual([
    ['blocked', '+447700219110'],
    ['blocked', '+447700219110'],
    ['unparsable', null],
  ])
  const { counts } = await checkList(rpc, { source: { text: phones.join('\n') } })
  expect(counts).toMatchObject({ rows: 3, clear: 0, blocked: 2, unparsable: 1 })
})

test('lists each of many checks from one millisecond on exactly one page', async () => {
  const nowMs = Date.now()
  const { rpc } = await listService(() => ({ data: [], total: 0 }), { ...systemClock, now: () => nowMs })
  const checks = []
  for (const name of ['a', 'b']) checks.push(await checkList(rpc, { name, source: { text: '+14155550100' } }))
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await rpc.dnc.checkRuns({ limit: 1, ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  }
  expect(seen).toEqual(checks.map(({ id }) => id).reverse())
})

test('sends no further requests after an online check is cancelled', async () => {
  const asked = () => service.asked.filter(({ path }) => path === '/dnc/check').length
  // Waits between retries end when the test says so; the first may be a short one.
  const waits: (() => void)[] = []
  const after: Clock['after'] = (delayMs, callback) => {
    if (delayMs <= 20 && asked() === 0) return systemClock.after(delayMs, callback)
    waits.push(callback)
    return () => {}
  }
  const { rpc, service } = await startTestCoreAt(
    (one) => (one.path === '/dnc/check' ? [503, { error: 'busy' }] : usualAnswer(one)),
    { clock: { ...systemClock, after, sleep: sleepWith(after) } },
  )
  const giveUp = new AbortController()
  const check = rpc.dnc.checkOnline({ phone: '+14155550100', region: 'US' }, { signal: giveUp.signal })
  await expect.poll(asked).toBe(1)
  giveUp.abort()
  await expect(check).rejects.toThrow()
  // The core knows by its next answer.
  await cache(rpc)
  for (const over of waits.splice(0)) over()
  await cache(rpc)
  expect(asked()).toBe(1)
})
