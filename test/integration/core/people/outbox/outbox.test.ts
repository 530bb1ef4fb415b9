import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type OutboxUnderTest, startOutbox } from './outbox-fixture.ts'
import { importFile } from '../../../../helpers/contact-files.ts'
import { phoneOf } from './outbox-items.ts'

const graceMs = 20_000

describe('a push', () => {
  test('creates each contact once and stores its service ID', async () => {
    const { service, add, push, allOver, items, contacts } = await startOutbox()
    const ids = await add(40)
    const batchId = await push(ids)
    await push(ids)
    expect((await allOver()).counts).toMatchObject({ done: 40, unknown: 0, rejected: 0 })
    expect(service.requests).toHaveLength(40)
    expect((await items()).every((item) => item.batchId === batchId && item.attempts === 1)).toBe(true)
    const idOf = new Map([...service.living].map(([id, { phone }]) => [phone, id]))
    for (const { phone, state, serviceId } of await contacts())
      expect([state, serviceId]).toEqual(['service', idOf.get(phone)])
    await push(ids)
    expect(service.requests).toHaveLength(40)
  })

  test('skips numbers on the DNC list or on hold at sending time, with the reason', async () => {
    const { rpc, service, add, push, until, allOver, items } = await startOutbox()
    await rpc.outbox.pause()
    await push(await add(4))
    service.dnc = [phoneOf(1)]
    await rpc.dnc.sync()
    await expect.poll(async () => (await rpc.dnc.list({ which: 'all', limit: 1 })).total).toBe(1)
    await rpc.dnc.hold({ phone: phoneOf(2), region: 'US', evidence: 'asked by phone' })
    await rpc.outbox.resume()
    await until(({ counts }) => counts.done === 2)
    expect((await allOver()).counts).toMatchObject({ done: 2, rejected: 0, 'not-sent': 1, held: 1 })
    expect((await items({ states: ['not-sent'] })).map(({ phone }) => phone)).toEqual([phoneOf(1)])
    expect((await items({ states: ['held'] })).map(({ phone }) => phone)).toEqual([phoneOf(2)])
    expect(await items({ states: ['rejected'] })).toEqual([])
    const { queued, blocked } = await rpc.outbox.retryRejected({ selection: { filter: {} } })
    expect({ queued, blocked }).toEqual({ queued: 0, blocked: 2 })
    expect(service.requests.map(({ phone }) => phone).sort()).toEqual([phoneOf(0), phoneOf(3)])
  })

  test('leaves it to a person when the service gives the ID of another contact', async () => {
    const { rpc, service, add, push, allOver, items } = await startOutbox()
    const [first, second] = await add(2)
    await push([first!])
    await allOver()
    service.fate = ({ method }) => (method === 'POST' ? 'merged' : 'done')
    await push([second!])
    await allOver()
    const serviceText = { key: 'answer.sharedId', phone: phoneOf(0) }
    expect((await items({ states: ['unknown'] }))[0]!.problem?.data).toMatchObject({ serviceText })
    expect((await rpc.contacts.get({ id: second! })).contact).toMatchObject({ state: 'unknown' })
    // The same contact may keep its ID.
    const draft = { name: 'Ada', phone: phoneOf(5), email: '', tags: {} }
    await rpc.contacts.update({ id: first!, draft })
    await allOver()
    const { contact } = await rpc.contacts.get({ id: first! })
    expect(contact).toMatchObject({ state: 'service', changedHere: false, replacing: null })
    expect(service.living.get(contact.serviceId!)).toEqual({ phone: phoneOf(5), name: 'Ada' })
  })

  test('waits while paused, even across a restart, and leaves on resume', async () => {
    const first = await startOutbox()
    await first.rpc.outbox.pause()
    await first.push(await first.add(3))
    const second = await first.restart()
    expect(await second.rpc.outbox.pause()).toMatchObject({ state: 'paused', counts: { queued: 3 } })
    expect(second.service.requests).toEqual([])
    await second.rpc.outbox.resume()
    expect((await second.allOver()).counts.done).toBe(3)
    expect(second.service.requests.map(({ phone }) => phone).sort()).toEqual([0, 1, 2].map(phoneOf))
  })

  test('sends nothing after a cancel, even after waiting for the rate limit', async () => {
    const { rpc, service, add, push, until, allOver, contacts } = await startOutbox()
    service.retryAfterSeconds = 60
    service.fate = ({ count }) => (count === 0 ? 'limited' : 'done')
    await push(await add(1))
    await until(({ state }) => state === 'rate-limited')
    await until(({ counts }) => counts.queued === 1)
    expect(await rpc.outbox.cancel({ selection: { filter: {} } })).toEqual({ cancelled: 1, left: 0 })
    await push(await add(1, 1))
    await allOver()
    expect(service.requests.map(({ phone }) => phone)).toEqual([phoneOf(0), phoneOf(1)])
    expect((await contacts()).map(({ state }) => state)).toEqual(['local', 'service'])
  })

  test('that is deselected from all matches is not cancelled with them', async () => {
    const { rpc, add, push, items } = await startOutbox()
    await rpc.outbox.pause()
    await push(await add(4))
    const [kept] = await items()
    const selection = { filter: { states: ['queued' as const] }, exceptIds: [kept!.id] }
    expect(await rpc.outbox.cancel({ selection })).toEqual({ cancelled: 3, left: 0 })
    expect((await items({ states: ['queued'] })).map(({ id }) => id)).toEqual([kept!.id])
  })

  test('that the service rejects quotes it, and leaves again on request', async () => {
    const { rpc, service, add, push, allOver, items } = await startOutbox()
    const ids = await add(20)
    service.fate = ({ phone }) => (phone === phoneOf(7) ? 'rejected' : 'done')
    await push(ids)
    expect((await allOver()).counts).toMatchObject({ done: 19, rejected: 1 })
    const [refused] = await items({ states: ['rejected'] })
    expect(refused).toMatchObject({ phone: phoneOf(7), attempts: 1 })
    expect(JSON.stringify(refused!.problem)).toContain('this contact is not wanted')
    service.fate = () => 'done'
    const again = await rpc.outbox.retryRejected({ selection: { filter: {} } })
    expect(again).toMatchObject({ queued: 1, left: 19 })
    expect(await rpc.outbox.retryRejected({ selection: { filter: {} } })).toMatchObject({ queued: 0 })
    await allOver()
    expect(service.living.size).toBe(20)
    expect(service.requests).toHaveLength(21)
  })

  test('after a correction does not leave twice when rejected ones are resent', async () => {
    const { rpc, service, add, push, allOver } = await startOutbox()
    const [id] = await add(1)
    service.fate = () => 'rejected'
    await push([id!])
    await allOver()
    service.fate = () => 'done'
    await push([id!])
    await allOver()
    expect(await rpc.outbox.retryRejected({ selection: { filter: {} } })).toMatchObject({ queued: 0 })
    await allOver()
    expect(service.doubled).toEqual([])
    expect(service.living.size).toBe(1)
  })

  test('belongs to its connection: another user’s sign-in sends none of it', async () => {
    const ana = await startOutbox()
    const { rpc, service } = ana
    await rpc.outbox.pause()
    await ana.push(await ana.add(3))
    await rpc.connections.connect({
      name: 'Ben',
      baseUrl: service.baseUrl,
      colour: 'red',
      production: false,
      credential: { kind: 'api-key', apiKey: 'key-ben' },
    })
    expect((await rpc.outbox.list({ filter: {}, limit: 10 })).total).toBe(0)
    await ana.push(await ana.add(2, 10))
    await ana.allOver()
    expect(service.requests.map(({ user }) => user)).toEqual(['ben', 'ben'])
    await rpc.connections.open({ id: ana.connectionId })
    await rpc.outbox.resume()
    expect((await ana.allOver()).counts.done).toBe(3)
    const sent = service.requests.slice(2).map(({ user, phone }) => `${user} ${phone}`)
    expect(sent.sort()).toEqual([0, 1, 2].map((n) => `ana ${phoneOf(n)}`))
  })
})

describe('a deletion', () => {
  test('of a contact that never left sends nothing and cancels its creation', async () => {
    const { rpc, service, add, push, allOver, contacts, skip, items } = await startOutbox()
    await rpc.outbox.pause()
    const ids = await add(3)
    await push(ids)
    await rpc.contacts.delete({ selection: { ids: ids.slice(0, 2) } })
    skip(graceMs)
    await rpc.outbox.resume()
    await allOver()
    expect((await items()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'done'])
    expect(service.requests.map(({ phone }) => phone)).toEqual([phoneOf(2)])
    expect((await contacts()).map(({ phone }) => phone)).toEqual([phoneOf(2)])
  })

  test('can be undone during its undo window without a request', async () => {
    const { rpc, service, add, push, allOver, contacts } = await startOutbox()
    const ids = await add(4)
    await push(ids.slice(0, 3))
    await allOver()
    const { batchId, undoableUntil } = await rpc.contacts.delete({ selection: { ids } })
    expect(Date.parse(undoableUntil!)).toBeGreaterThan(Date.now() + graceMs - 5_000)
    expect((await contacts()).map(({ state }) => state)).toEqual(['deleting', 'deleting', 'deleting'])
    expect(await rpc.outbox.undo({ batchId: batchId! })).toMatchObject({ undone: 4, lost: 0, left: 0 })
    await allOver()
    expect((await contacts()).map(({ state }) => state)).toEqual(['service', 'service', 'service', 'local'])
    expect(service.requests).toHaveLength(3)
    await expect(rpc.outbox.undo({ batchId: batchId! })).rejects.toMatchObject({ code: 'OUTBOX_TOO_LATE' })
  })

  test('leaves after its undo window, even if the console was closed, and refuses an undo', async () => {
    const first = await startOutbox()
    const ids = await first.add(3)
    await first.push(ids.slice(0, 2))
    await first.allOver()
    const { batchId } = await first.rpc.contacts.delete({ selection: { ids } })
    first.skip(graceMs)
    const second = await first.restart()
    await second.allOver()
    expect(second.service.living.size).toBe(0)
    expect(await second.contacts()).toEqual([])
    await expect(second.rpc.outbox.undo({ batchId: batchId! })).rejects.toMatchObject({
      code: 'OUTBOX_TOO_LATE',
      data: { sent: 2 },
    })
  })

  test('behind a creation in flight waits for its ID and for its own undo window', async () => {
    const { rpc, service, add, push, until, allOver, items, skip, contacts } = await startOutbox()
    // A plain answer first: before it, only one request leaves at a time.
    await push(await add(1))
    await allOver()
    service.fate = () => 'hang'
    const [kept, gone] = await add(2, 1)
    await push([kept!, gone!])
    await until(({ counts }) => counts['in-flight'] === 2)
    const undone = await rpc.contacts.delete({ selection: { ids: [kept!] } })
    await rpc.contacts.delete({ selection: { ids: [gone!] } })
    service.fate = () => 'done'
    service.release()
    await until(({ counts }) => counts.undoable === 2)
    expect(service.requests.filter(({ method }) => method === 'DELETE')).toEqual([])
    expect(await rpc.outbox.undo({ batchId: undone.batchId! })).toMatchObject({ undone: 1 })
    skip(graceMs)
    await allOver()
    const deletions = service.requests.filter(({ method }) => method === 'DELETE')
    const created = (await items()).find(
      ({ phone, operation }) => phone === phoneOf(2) && operation === 'create-contact',
    )
    expect(deletions).toMatchObject([{ id: created!.serviceId }])
    expect((await contacts()).map(({ phone, state }) => [phone, state])).toEqual([
      [phoneOf(0), 'service'],
      [phoneOf(1), 'service'],
    ])
  })

  test('behind a rejected creation leaves a local contact', async () => {
    const { rpc, service, add, push, until, allOver, contacts } = await startOutbox()
    service.fate = () => 'hang'
    const [id] = await add(1)
    await push([id!])
    await until(({ counts }) => counts['in-flight'] === 1)
    const { batchId } = await rpc.contacts.delete({ selection: { ids: [id!] } })
    expect(await rpc.outbox.undo({ batchId: batchId! })).toMatchObject({ undone: 1 })
    expect((await contacts())[0]).toMatchObject({ state: 'in-flight' })
    await rpc.contacts.delete({ selection: { ids: [id!] } })
    // The coming answer is neither a success nor unconfirmed.
    service.living.clear()
    service.fate = () => 'rejected'
    await service.goOffline()
    await until(({ counts }) => counts.unknown === 1)
    await service.goOnline()
    await rpc.outbox.resolve({ selection: { filter: {} }, how: 'discard' })
    await allOver()
    expect((await contacts())[0]).toMatchObject({ state: 'discarded', serviceId: null })
    expect(service.requests).toHaveLength(1)
  })

  test('behind an unconfirmed creation leaves once that was resent', async () => {
    const { rpc, service, add, push, until, allOver, contacts, skip } = await startOutbox()
    service.fate = () => 'hang'
    const ids = await add(1)
    await push(ids)
    await until(({ counts }) => counts['in-flight'] === 1)
    await rpc.contacts.delete({ selection: { ids } })
    await service.goOffline()
    await until(({ counts }) => counts.unknown === 1)
    await service.goOnline()
    service.fate = () => 'done'
    await rpc.outbox.resolve({ selection: { filter: {} }, how: 'send-again' })
    skip(graceMs)
    await allOver()
    expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE'])
    expect(await contacts()).toEqual([])
  })

  test('of a record that the service no longer has is done', async () => {
    const { rpc, service, pushed, allOver, contacts, skip } = await startOutbox()
    const ids = await pushed(2)
    service.living.clear()
    await rpc.contacts.delete({ selection: { ids } })
    skip(graceMs)
    expect((await allOver()).counts).toMatchObject({ done: 4, rejected: 0 })
    expect(await contacts()).toEqual([])
  })

  test('asks for the connection’s name in production', async () => {
    const { rpc, add } = await startOutbox({ production: true })
    const ids = await add(1)
    await expect(rpc.contacts.delete({ selection: { ids } })).rejects.toMatchObject({
      code: 'CONFIRMATION_MISMATCH',
    })
    expect(await rpc.contacts.delete({ selection: { ids }, confirmName: 'Test' })).toMatchObject({ count: 1 })
  })
})

describe('an unanswered deletion', () => {
  /** One contact whose deletion was done but not confirmed, and waits for a retry. */
  async function unconfirmed(under: OutboxUnderTest) {
    const { rpc, service, pushed, skip, until } = under
    const [id] = await pushed(1)
    const tries = () => service.requests.filter(({ method }) => method === 'DELETE').length
    service.fate = () => {
      // The deletion waits after its last try only.
      service.retryAfterSeconds = tries() < 6 ? 0 : 6_000
      return tries() === 0 ? 'failed-after' : 'limited'
    }
    await rpc.contacts.delete({ selection: { ids: [id!] } })
    skip(graceMs)
    await expect.poll(tries).toBe(7)
    await until(({ counts }) => counts.queued === 1)
    expect(service.living.size).toBe(0)
    return id!
  }

  test('says so while it waits, and is unconfirmed when cancelled', async () => {
    const under = await startOutbox()
    const { rpc, items, contacts } = under
    const id = await unconfirmed(under)
    const deletions = { operations: ['delete-contact' as const] }
    expect(await items(deletions)).toMatchObject([
      { state: 'queued', problem: { code: 'DELETION_REPEATED' } },
    ])
    await expect(
      rpc.contacts.update({ id, draft: { name: 'Ada', phone: phoneOf(0), email: '', tags: {} } }),
    ).rejects.toMatchObject({ code: 'CONTACT_BUSY' })

    expect(await rpc.outbox.cancel({ selection: { filter: {} } })).toMatchObject({ cancelled: 0 })
    const [item] = await items(deletions)
    expect(item).toMatchObject({ state: 'unknown', problem: { code: 'DELETION_UNKNOWN' } })
    await expect.poll(async () => (await contacts()).map(({ state }) => state)).toEqual(['unknown'])
    await rpc.outbox.resolve({ selection: { ids: [item!.id] }, how: 'mark-done' })
    await expect.poll(contacts).toEqual([])
  })

  test('is retried after a restart and done when the record is gone', async () => {
    const first = await startOutbox()
    await unconfirmed(first)
    await first.rpc.outbox.pause()
    const { rpc, service, items, allOver, contacts } = await first.restart()
    expect(await items({ states: ['queued'] })).toMatchObject([{ problem: { code: 'DELETION_REPEATED' } }])
    service.fate = () => 'done'
    await rpc.outbox.resume()
    await allOver()
    expect(await items({ operations: ['delete-contact'] })).toMatchObject([{ state: 'done' }])
    expect(await contacts()).toEqual([])
  })

  test('that is never answered is unconfirmed, not rejected', async () => {
    const { rpc, service, pushed, allOver, skip, items, contacts } = await startOutbox()
    const [id] = await pushed(1)
    service.fate = ({ id: wanted }) => (service.living.has(wanted) ? 'failed-after' : 'failed-before')
    await rpc.contacts.delete({ selection: { ids: [id!] } })
    skip(graceMs)
    await allOver()
    const [item] = await items({ operations: ['delete-contact'] })
    expect(item).toMatchObject({ state: 'unknown', problem: { code: 'DELETION_UNKNOWN' } })
    service.fate = () => 'done'
    await rpc.outbox.resolve({ selection: { ids: [item!.id] }, how: 'send-again' })
    await allOver()
    expect(await contacts()).toEqual([])
  })
})

describe('a change of a contact on the service', () => {
  const draft = (n: number, name: string) => ({ name, phone: phoneOf(n), email: '', tags: {} })

  test.each([
    ['with the same number deletes the old record before it creates the new one', 0, ['DELETE', 'POST']],
    ['with another number creates the new record before it deletes the old one', 5, ['POST', 'DELETE']],
  ])('%s', async (_, n, methods) => {
    const { rpc, service, pushed, allOver, contacts } = await startOutbox()
    const [id] = await pushed(1)
    await rpc.contacts.update({ id: id!, draft: draft(n, 'Ada') })
    await allOver()
    expect(service.requests.slice(1).map(({ method }) => method)).toEqual(methods)
    const [stored] = await contacts()
    expect([...service.living]).toEqual([[stored!.serviceId, { phone: phoneOf(n), name: 'Ada' }]])
    expect(service.doubled).toEqual([])
  })

  test('in bulk or by import marks it, and one push updates the service', async () => {
    const { rpc, service, push, pushed, allOver, contacts } = await startOutbox()
    const ids = await pushed(3)
    await rpc.contacts.tag({ selection: { ids: ids.slice(0, 1) }, set: { tier: 'gold' }, remove: [] })
    const file = `name,phone\nBea,${phoneOf(1)}\n`
    await importFile(rpc, 'people.csv', file, { duplicatesInContacts: 'update' })
    const filter = { changedHere: true }
    expect((await rpc.contacts.count({ filter })).value).toBe(2)
    const selection = { filter: {}, exceptIds: [] }
    expect(await rpc.contacts.preview({ selection, action: 'push' })).toMatchObject({
      replaced: 2,
      requests: 4,
      leftOut: { 'already-on-service': 1 },
    })
    await push(ids)
    await allOver()
    expect(
      service.requests
        .slice(3)
        .map(({ method }) => method)
        .sort(),
    ).toEqual(['DELETE', 'DELETE', 'POST', 'POST'])
    expect([...service.living.values()].map(({ name }) => name).sort()).toContain('Bea')
    expect(service.doubled).toEqual([])
    expect((await rpc.contacts.count({ filter })).value).toBe(0)
    await push(ids)
    expect(service.requests).toHaveLength(7)
    for (const { state, serviceId } of await contacts())
      expect([state, service.living.has(serviceId!)]).toEqual(['service', true])
  })

  test('that is cancelled before it leaves keeps the contact changed locally', async () => {
    const { rpc, push, pushed, allOver } = await startOutbox()
    const [id] = await pushed(1)
    await rpc.outbox.pause()
    await rpc.contacts.update({ id: id!, draft: draft(0, 'Ada') })
    await rpc.outbox.cancel({ selection: { filter: {} } })
    await expect
      .poll(async () => (await rpc.contacts.get({ id: id! })).contact)
      .toMatchObject({ state: 'service', changedHere: true })
    await rpc.contacts.tag({ selection: { ids: [id!] }, set: {}, remove: ['none'] })
    await rpc.outbox.resume()
    await push([id!])
    await allOver()
    expect((await rpc.contacts.get({ id: id! })).contact).toMatchObject({ name: 'Ada', changedHere: false })
  })

  test('during its request is noticed when the request is done', async () => {
    const { rpc, service, add, push, until, allOver } = await startOutbox()
    const [id] = await add(1)
    service.fate = () => 'hang'
    await push([id!])
    await until(({ counts }) => counts['in-flight'] === 1)
    await rpc.contacts.tag({ selection: { ids: [id!] }, set: { tier: 'gold' }, remove: [] })
    // A request that hasn't arrived can't be answered.
    await expect.poll(() => service.requests).toHaveLength(1)
    service.release()
    await allOver()
    await expect
      .poll(async () => (await rpc.contacts.get({ id: id! })).contact)
      .toMatchObject({ state: 'service', changedHere: true })
  })

  test('is refused before the old record is deleted when the new one is blocked', async () => {
    const { rpc, service, pushed, contacts } = await startOutbox()
    const [id] = await pushed(1)
    await rpc.dnc.hold({ phone: phoneOf(0), region: 'US', evidence: 'asked by phone' })
    await expect(rpc.contacts.update({ id: id!, draft: draft(0, 'Ada') })).rejects.toMatchObject({
      code: 'EDIT_BLOCKED',
    })
    expect(service.requests).toHaveLength(1)
    expect(await contacts()).toMatchObject([{ state: 'service', serviceId: [...service.living.keys()][0] }])
  })

  test('replaces a waiting one: one request with the current values', async () => {
    const { rpc, service, add, push, allOver } = await startOutbox()
    await rpc.outbox.pause()
    const [id] = await add(1)
    await push([id!])
    await rpc.contacts.update({ id: id!, draft: draft(0, 'Ada') })
    await rpc.contacts.update({ id: id!, draft: draft(0, 'Ada Lovelace') })
    await rpc.outbox.resume()
    await allOver()
    expect(service.requests).toHaveLength(1)
    expect([...service.living.values()]).toEqual([{ phone: phoneOf(0), name: 'Ada Lovelace' }])
  })

  test('is refused while a request for it is in flight or unconfirmed', async () => {
    const { rpc, service, add, push, until } = await startOutbox()
    service.fate = () => 'reset-after'
    const [id] = await add(1)
    await push([id!])
    await until(({ counts }) => counts.unknown === 1)
    await expect(rpc.contacts.update({ id: id!, draft: draft(0, 'Ada') })).rejects.toMatchObject({
      code: 'CONTACT_BUSY',
    })
  })

  test('whose old record can’t be deleted sends no new one', async () => {
    const { rpc, service, pushed, allOver, items } = await startOutbox()
    const [id] = await pushed(1)
    service.fate = ({ method }) => (method === 'DELETE' ? 'rejected' : 'done')
    await rpc.contacts.update({ id: id!, draft: draft(0, 'Ada') })
    await allOver()
    expect((await items()).map(({ state }) => state)).toEqual(['done', 'rejected', 'cancelled'])
    expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE'])
  })

  test('whose new record fails after the old one is deleted no longer counts as on the service', async () => {
    const { rpc, service, pushed, allOver, until, contacts } = await startOutbox()
    const ids = await pushed(2)
    service.fate = ({ method, phone }) =>
      method === 'DELETE' ? 'done' : phone === phoneOf(0) ? 'rejected' : 'limited'
    service.retryAfterSeconds = 6
    await rpc.contacts.update({ id: ids[0]!, draft: draft(0, 'Ada') })
    await until(({ counts }) => counts.rejected === 1)
    await rpc.contacts.update({ id: ids[1]!, draft: draft(1, 'Ben') })
    await expect.poll(() => service.living.size).toBe(0)
    // It leaves and returns repeatedly.
    const queued = { selection: { filter: { states: ['queued' as const] } } }
    await expect.poll(async () => (await rpc.outbox.cancel(queued)).cancelled).toBe(1)
    await allOver()
    expect(service.living.size).toBe(0)
    expect(await contacts()).toMatchObject([
      { state: 'failed', serviceId: null },
      { state: 'local', serviceId: null },
    ])
  })

  test.each(['paused', 'sending'])(
    'ends as one current record if a push queues it meanwhile (%s)',
    async (how) => {
      const { running, connectionId, rpc, service, add, push, until, allOver } = await startOutbox()
      const ids = await add(2)
      service.fate = () => 'hang'
      if (how === 'paused') await rpc.outbox.pause()
      // Keeps the contacts from writing for a moment.
      const other = new Sqlite(join(running.dataDir, 'connections', connectionId, 'contacts.db'))
      other.exec('BEGIN IMMEDIATE')
      const updating = rpc.contacts.update({ id: ids[0]!, draft: draft(0, 'Ada') })
      await push(ids)
      if (how === 'sending') await until(({ counts }) => counts['in-flight'] === 1)
      other.exec('ROLLBACK')
      other.close()
      await updating
      service.fate = () => 'done'
      service.release()
      await rpc.outbox.resume()
      await allOver()
      expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'POST'])
      expect([...service.living.values()].map(({ name }) => name).sort()).toEqual(['Ada', 'Contact 1'])
    },
  )

  test.each(['undoable', 'queued'] as const)('that fails leaves a %s deletion as it is', async (state) => {
    const { rpc, service, pushed, until, allOver, items, skip, contacts } = await startOutbox()
    const ids = await pushed(2)
    await rpc.outbox.pause()
    await rpc.contacts.delete({ selection: { ids: [ids[0]!] } })
    if (state === 'queued') skip(graceMs)
    await until(({ counts }) => counts[state] === 1)
    const waiting = await items({ states: [state] })
    await expect(rpc.contacts.update({ id: ids[0]!, draft: draft(1, 'Ada') })).rejects.toMatchObject({
      code: 'CONTACT_EXISTS',
    })
    expect(await items({ states: [state] })).toEqual(waiting)
    skip(graceMs)
    await rpc.outbox.resume()
    await allOver()
    expect(service.requests.slice(2).map(({ method }) => method)).toEqual(['DELETE'])
    expect((await contacts()).map(({ phone }) => phone)).toEqual([phoneOf(1)])
  })

  test('is cancelled whole: without its new record the old one stays', async () => {
    const { rpc, service, pushed, allOver, items, contacts } = await startOutbox()
    const [id] = await pushed(1)
    await rpc.outbox.pause()
    await rpc.contacts.update({ id: id!, draft: draft(0, 'Ada') })
    const [created] = await items({ states: ['blocked'] })
    await rpc.outbox.cancel({ selection: { ids: [created!.id] } })
    await rpc.outbox.resume()
    await allOver()
    expect(service.requests).toHaveLength(1)
    expect(await contacts()).toMatchObject([{ state: 'service', serviceId: [...service.living.keys()][0] }])
  })

  test('is always one row and shows what the service has', async () => {
    const { rpc, service, pushed, allOver, until } = await startOutbox()
    const ids = await pushed(3)
    const rows = async () => {
      const sort = { by: 'phone' as const, descending: false }
      const { items } = await rpc.contacts.list({ filter: {}, sort, limit: 50 })
      return items.map(({ name, replacing }) => [name, replacing])
    }
    expect(await rows()).toEqual([0, 1, 2].map((n) => [`Contact ${n}`, null]))
    service.fate = ({ method, phone }) =>
      method === 'DELETE' ? 'done' : phone === phoneOf(0) ? 'limited' : 'done'
    service.retryAfterSeconds = 6
    await rpc.outbox.pause()
    await rpc.contacts.update({ id: ids[0]!, draft: draft(0, 'Ada') })
    await expect.poll(rows).toEqual([
      ['Ada', 'old'],
      ['Contact 1', null],
      ['Contact 2', null],
    ])
    await rpc.outbox.resume()
    await expect.poll(() => service.living.size).toBe(2)
    await expect.poll(async () => (await rows())[0]).toEqual(['Ada', 'none'])
    expect((await rpc.contacts.get({ id: ids[0]! })).contact.replacing).toBe('none')
    expect((await rpc.outbox.list({ filter: { contactId: ids[0]! }, limit: 10 })).items).toHaveLength(3)
    service.fate = () => 'done'
    service.retryAfterSeconds = 0
    await allOver()
    expect(await rows()).toContainEqual(['Ada', null])

    // A record whose deletion the service rejects stays beside the new one.
    service.fate = ({ method }) => (method === 'DELETE' ? 'rejected' : 'done')
    await rpc.contacts.update({ id: ids[1]!, draft: draft(7, 'Bea') })
    await until(({ counts }) => counts.rejected === 1)
    expect(service.living.size).toBe(4)
    await expect.poll(rows).toContainEqual(['Bea', 'both'])
    service.fate = () => 'done'
    await rpc.outbox.retryRejected({ selection: { filter: {} } })
    await allOver()
    expect(service.living.size).toBe(3)
    await expect.poll(rows).toContainEqual(['Bea', null])
  })

  test('that failed is pushed without leaving the old record as a duplicate', async () => {
    const { rpc, service, push, pushed, allOver, contacts } = await startOutbox()
    const [id] = await pushed(1)
    service.fate = () => 'rejected'
    await rpc.contacts.update({ id: id!, draft: draft(0, 'Ada') })
    await allOver()
    expect(await contacts()).toMatchObject([{ state: 'failed', serviceId: [...service.living.keys()][0] }])
    service.fate = () => 'done'
    await push([id!])
    await allOver()
    expect([...service.living.values()]).toEqual([{ phone: phoneOf(0), name: 'Ada' }])
    expect(service.doubled).toEqual([])
  })
})
