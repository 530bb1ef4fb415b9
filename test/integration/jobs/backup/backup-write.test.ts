import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { writeBackup } from '#electron/jobs/backup/backup-write.ts'
import { createJobControl } from '#electron/jobs/run/job-control.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

test('holds the plan of a send that ends while the backup is written', async () => {
  const dir = tempFolder()
  const plan = join(dir, 'sends', 'one.plan')
  mkdirSync(join(dir, 'sends'))
  writeFileSync(plan, 'the plan of a send')
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const control = createJobControl(port2)
  const target = join(dir, 'backup.tar.gz')
  await writeBackup(
    {
      target,
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
        },
        settings: {},
      },
    },
    {
      ...control,
      checkpoint() {
        rmSync(plan, { force: true })
        return control.checkpoint()
      },
    },
  )
  expect(gunzipSync(readFileSync(target)).toString()).toContain('the plan of a send')
})
