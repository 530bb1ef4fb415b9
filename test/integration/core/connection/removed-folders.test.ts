import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectByKey, restartCore, startInSandbox, startTestCore } from '../../../helpers/test-core.ts'
import { statusWhere } from '../../../helpers/wait-for.ts'

/** Acts like Windows while another program uses a file in a folder below `connections`. */
function keepFolders(): { release(): void } {
  const { rm } = fs
  let isInUse = true
  const spy = vi
    .spyOn(fs, 'rm')
    .mockImplementation((path, options) =>
      isInUse && String(path).includes('connections')
        ? Promise.reject(Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY' }))
        : rm(path, options),
    )
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
  return { release: () => void (isInUse = false) }
}

test('names a folder in use and deletes it at a later start', async () => {
  const first = await startTestCore()
  const { connection } = await connectByKey(first)
  await first.rpc.contacts.create({ name: 'Ada', phone: '+4917123456701', email: '', tags: {} })
  const folder = join(first.dataDir, 'connections', connection.id)
  const inUse = keepFolders()
  expect(await first.rpc.connections.remove({ id: connection.id })).toMatchObject({
    problem: { code: 'FOLDER_NOT_DELETED', data: { folder } },
  })
  expect((await first.rpc.connections.list()).connections).toEqual([])
  const second = await restartCore(first)
  const hasNotice = ({ notices }: Awaited<ReturnType<typeof statusWhere>>) =>
    notices.some(({ error }) => error.code === 'FOLDER_NOT_DELETED')
  await statusWhere(second.rpc, hasNotice)
  expect(existsSync(folder)).toBe(true)
  inUse.release()
  const third = await restartCore(second)
  expect(existsSync(folder)).toBe(false)
  await statusWhere(third.rpc, (status) => !hasNotice(status))
})

test('never opens what a removed sandbox left behind', async () => {
  const { rpc } = await startInSandbox()
  const { id } = (await rpc.connections.list()).connections[0]!
  await rpc.contacts.create({ name: 'Ada', phone: '+4917123456701', email: '', tags: {} })
  const inUse = keepFolders()
  await rpc.connections.remove({ id })
  await expect(rpc.connections.openSandbox()).rejects.toMatchObject({ code: 'FOLDER_NOT_DELETED' })
  inUse.release()
  await rpc.connections.openSandbox()
  expect((await rpc.contacts.summary()).total).toBe(0)
})
