import { expect, test } from 'vitest'
import { allContacts, choicesFor, everyone, upload } from '../../../../helpers/contact-files.ts'
import { type Rpc } from '../../../../helpers/start-core.ts'
import { startInSandbox, restartCore } from '../../../../helpers/test-core.ts'

const create = (rpc: Rpc, last: number, tags: Record<string, string>) =>
  rpc.contacts.create({ name: `Contact ${last}`, phone: `+491712345670${last}`, email: '', tags })
const tagsOf = async (rpc: Rpc) => (await allContacts(rpc)).map(({ tags }) => tags)

test('undoes bulk tags, even after a restart, except where tags changed since', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  const before = [{ city: 'Köln', vip: '' }, {}, { city: 'Bonn' }]
  const made = []
  for (const [at, tags] of before.entries()) made.push(await create(rpc, at, tags))
  await rpc.contacts.tag({ selection: everyone, set: { city: 'Ulm' }, remove: ['vip'] })
  expect(await tagsOf(rpc)).toEqual([{ city: 'Ulm' }, { city: 'Ulm' }, { city: 'Ulm' }])
  const { id, updatedAt, ...rest } = (await rpc.contacts.get({ id: made[2]!.contact.id })).contact
  const { name, phone, email } = rest
  await rpc.contacts.update({
    id,
    draft: { name, phone, email, tags: { city: 'Trier' } },
    basedOn: updatedAt,
  })
  const again = await restartCore(running)
  const { batch } = await again.rpc.contacts.tagBatch()
  expect(batch).toMatchObject({ count: 3 })
  expect(await again.rpc.contacts.undoTags({ batchId: batch!.batchId })).toEqual({
    taskId: null,
    restored: 2,
    left: 1,
  })
  expect(await tagsOf(again.rpc)).toEqual([before[0], before[1], { city: 'Trier' }])
  expect(await again.rpc.contacts.tagBatch()).toEqual({ batch: null })
})

test('merges tags that differ only by case into the first spelling', async () => {
  const { rpc } = await startInSandbox()
  await create(rpc, 1, { City: 'Köln' })
  await create(rpc, 2, { city: 'Bonn', VIP: '', vip: 'yes' })
  await rpc.contacts.tag({ selection: everyone, set: { CITY: 'Ulm' }, remove: ['Vip'] })
  expect(await tagsOf(rpc)).toEqual([{ City: 'Ulm' }, { City: 'Ulm' }])
  const fileId = await upload(rpc, 'people.csv', 'phone,tag.cITY\n+4917123456701,Ulm\n')
  const order = await choicesFor(rpc, fileId, { duplicatesInContacts: 'update' })
  expect((await rpc.imports.preview(order)).counts).toMatchObject({ unchanged: 1, update: 0 })
})
