import { readFileSync } from 'node:fs'
import { startCore } from '../../../../helpers/start-core.ts'
import { upload } from '../../../../helpers/contact-files.ts'

/** Kills itself with SIGKILL at the first step of a restore. */
const [dataDir = '', backupFile = ''] = process.argv.slice(2)
const { rpc } = await startCore({ dataDir })
const fileId = await upload({ files: rpc.backups }, 'x.switchboard-backup', readFileSync(backupFile))
for await (const _step of await rpc.backups.restore({ fileId })) process.kill(process.pid, 'SIGKILL')
