import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dlrBody } from '../../../helpers/deliver-events.ts'
import { deliverSigned } from '../../../helpers/signed-delivery.ts'
import { canMount, fillDisk, moveToSmallDisk } from '../../../helpers/small-disk.ts'
import { connectByKey, restartCore, startTestCore } from '../../../helpers/test-core.ts'
import { activityWhere, isLive } from '../../../helpers/wait-for.ts'

test.runIf(canMount)('a full disk of one connection names it, and the others continue', async () => {
  const first = await startTestCore()
  const connect = async (name: string) => {
    const { connection } = await connectByKey(first, undefined, name)
    const rpc = first.rpcOf(connection.id)
    await rpc.listener.addSecret({ label: 'Test', value: `the secret of ${name}` })
    return connection
  }
  const [full, other] = [await connect('Full'), await connect('Other')]
  await first.stopCore()
  const folder = join(first.dataDir, 'connections', full.id)
  expect(moveToSmallDisk(folder, '8m')).toBe(true)

  const running = await restartCore(first)
  const { rpc, rpcOf, notes } = running
  const urls = new Map<string, string>()
  for (const { id } of [full, other]) urls.set(id, (await activityWhere(rpc, id, isLive)).listener.url!)
  const deliver = ({ id, name }: typeof full, messageId: string, padding = '') =>
    deliverSigned(urls.get(id)!, dlrBody(messageId, 'delivered') + padding, `the secret of ${name}`)
  const storedBy = async ({ id }: typeof full) =>
    (await rpcOf(id).events.search({ filter: {}, limit: 500 })).items.length

  expect(await deliver(full, 'before')).toBe(200)
  await expect.poll(() => storedBy(full)).toBe(1)
  const ballast = join(folder, 'ballast')
  fillDisk(ballast)
  let stored = 1
  const deliverMore = async () => {
    const status = await deliver(full, `m${stored}`, ' '.repeat(16_000))
    if (status === 200) stored++
    return status
  }
  while ((await deliverMore()) === 200);
  for (let n = 0; n < 20; n++) expect(await deliver(other, `m${n}`)).toBe(200)
  await expect.poll(() => storedBy(other)).toBe(20)

  // A small commit may still fit and end the failure for a moment, so each check follows a large delivery.
  await expect
    .poll(async () => {
      await deliverMore()
      const { state, problem } = await activityWhere(rpc, full.id, () => true)
      for await (const { troubled } of await rpc.desktop.state())
        return { state, code: problem?.code, troubled }
    })
    .toEqual({ state: 'live', code: 'DISK_FULL', troubled: ['Full'] })
  expect(await activityWhere(rpc, other.id, () => true)).toMatchObject({ state: 'live', problem: null })
  expect(notes.map(({ title, body }) => `${title} ${body}`)).toContainEqual(
    expect.stringMatching(/^Full: .*listener is down The disk is full/),
  )

  rmSync(ballast)
  await expect.poll(() => deliver(full, 'after')).toBe(200)
  await activityWhere(rpc, full.id, ({ problem }) => problem === null)
  await expect.poll(() => storedBy(full)).toBe(stored + 1)
  const hasLost = async ({ id }: typeof full) =>
    (await rpcOf(id).events.gaps({ days: 1 })).gaps.some(({ reason }) => reason === 'not-stored')
  expect([await hasLost(full), await hasLost(other)]).toEqual([true, false])
})
