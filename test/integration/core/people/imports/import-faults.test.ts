import Sqlite from 'better-sqlite3'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allContacts, choicesFor, upload } from '../../../../helpers/contact-files.ts'
import { canMount, fillDisk, moveToSmallDisk } from '../../../../helpers/small-disk.ts'
import { restartCore, startInSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

test.runIf(canMount)('resumes once the disk has room for the column titles', async () => {
  const first = await startInSandbox()
  await first.stopCore()
  const folder = join(first.dataDir, 'connections', 'sandbox', 'files')
  expect(moveToSmallDisk(folder, '200k')).toBe(true)
  const { rpc } = await restartCore(first)
  // Titles of several pages on the disk: the first fits.
  const titles = Array.from({ length: 100 }, (_, at) => `title ${at} ${'x'.repeat(100)}`)
  const table = `name,phone,${titles.join(',')}\nAda,+4917123456701\n`
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', table))
  const ballast = join(folder, 'ballast')
  fillDisk(ballast, 4_096)
  const { taskId } = await rpc.imports.start({ importId, choices })
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'failed', problem: { code: 'DISK_FULL' } })
  rmSync(ballast)
  await rpc.tasks.resume({ id: taskId })
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'done' })
  expect(await rpc.imports.get({ importId })).toMatchObject({ state: 'done', counts: { new: 1 } })
})

test.each(['tasks', 'imports'])(
  'can be started again if its start could not be stored in %s',
  async (table) => {
    const { rpc, dataDir } = await startInSandbox()
    const file = await upload(rpc, 'people.csv', 'name,phone\nAda,+4917123456701\n')
    const { importId, choices } = await choicesFor(rpc, file)
    const inState = (sql: string) =>
      new Sqlite(join(dataDir, 'connections', 'sandbox', 'state.db')).exec(sql).close()
    const when = table === 'tasks' ? 'INSERT ON tasks' : "UPDATE ON imports WHEN NEW.state = 'running'"
    inState(`CREATE TRIGGER refuses BEFORE ${when} BEGIN SELECT RAISE(ABORT, 'refused for the test'); END`)
    const start = () => rpc.imports.start({ importId, choices })
    const failed = await start().catch(() => null)
    if (failed !== null) expect(await taskEnd(rpc, failed.taskId)).toMatchObject({ state: 'failed' })
    inState('DROP TRIGGER refuses')
    const { taskId } = await start()
    expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'done' })
    if (failed !== null) {
      await rpc.tasks.resume({ id: failed.taskId })
      expect(await taskEnd(rpc, failed.taskId)).toMatchObject({ problem: { code: 'IMPORT_NOT_POSSIBLE' } })
    }
    expect(await rpc.imports.get({ importId })).toMatchObject({ state: 'done', taskId, counts: { rows: 1 } })
  },
)

test('runs each start with its own choices, and only one of them', async () => {
  const { rpc, dataDir } = await startInSandbox()
  const file = await upload(rpc, 'people.csv', 'name,phone\nAda,0171 2345670\n')
  const { importId, choices } = await choicesFor(rpc, file)
  const start = (defaultRegion: string) =>
    rpc.imports.start({ importId, choices: { ...choices, defaultRegion } })
  const inState = (sql: string) =>
    new Sqlite(join(dataDir, 'connections', 'sandbox', 'state.db')).exec(sql).close()
  const refuse = (when: string) =>
    inState(`CREATE TRIGGER refuses BEFORE ${when} BEGIN SELECT RAISE(ABORT, 'refused for the test'); END`)
  refuse("UPDATE ON imports WHEN NEW.state = 'running'")
  const { taskId } = await start('DE')
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'failed' })
  inState('DROP TRIGGER refuses')
  refuse('INSERT ON tasks')
  await expect(start('AT')).rejects.toThrow()
  inState('DROP TRIGGER refuses')
  await rpc.tasks.resume({ id: taskId })
  await expect(start('AT')).rejects.toMatchObject({ code: 'IMPORT_NOT_POSSIBLE' })
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'done' })
  expect((await allContacts(rpc)).map(({ phone }) => phone)).toEqual(['+491712345670'])
  expect(await rpc.imports.get({ importId })).toMatchObject({ choices: { defaultRegion: 'DE' } })
})
