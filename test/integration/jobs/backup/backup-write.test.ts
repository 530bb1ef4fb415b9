import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type BackupOrder, writeBackup } from '#electron/jobs/backup/backup-write.ts'
import { freeControl } from '../../../helpers/job-control.ts'
import { canMount, moveToSmallDisk } from '../../../helpers/small-disk.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const orderFor = (dir: string): BackupOrder => ({
  target: join(dir, 'backup.tar.gz'),
  dir,
  workDir: join(dir, 'backup'),
  about: {
    switchboard: 'test',
    createdAt: '2026-01-05T09:00:00Z',
    connection: {
      name: 'Test',
      baseUrl: 'https://service.example/v1',
      colour: 'blue',
      production: false,
      credentialKind: 'api-key',
      username: null,
      allowPlainHttp: false,
      country: null,
      dashboardUrl: null,
    },
    settings: {},
  },
})

test('holds the plan of a send that ends while the backup is written', async () => {
  const dir = tempFolder()
  const plan = join(dir, 'sends', 'one.plan')
  mkdirSync(join(dir, 'sends'))
  writeFileSync(plan, 'the plan of a send')
  const order = orderFor(dir)
  await writeBackup(order, freeControl({ checkpoint: async () => rmSync(plan, { force: true }) }))
  expect(gunzipSync(readFileSync(order.target)).toString()).toContain('the plan of a send')
})

test.runIf(canMount)('says before it begins that the disk has no room for the plans', async () => {
  const dir = tempFolder()
  mkdirSync(join(dir, 'sends'))
  writeFileSync(join(dir, 'sends', 'one.plan'), Buffer.alloc(600_000))
  const disk = join(dir, 'disk')
  mkdirSync(disk)
  expect(moveToSmallDisk(disk, '1m')).toBe(true)
  const order = { ...orderFor(dir), workDir: join(disk, 'backup') }
  await expect(writeBackup(order, freeControl())).rejects.toMatchObject({ code: 'DISK_FULL' })
})
