import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { expect } from 'vitest'
import type { Connection } from '#contract/connection/connections.ts'
import { download, upload } from '../../../../helpers/contact-files.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'
import { type OutboxUnderTest, startOutbox } from '../../people/outbox/outbox-fixture.ts'

export const signingSecret = 'signing-PLANTED-1'

export async function backUp(rpc: Rpc): Promise<Buffer> {
  const { taskId } = await rpc.backups.start()
  const task = await taskEnd(rpc, taskId)
  expect(task).toMatchObject({ kind: 'backup', state: 'done', problem: null })
  return download(rpc, task.refId!)
}

export async function restore(rpc: Rpc, backup: Buffer): Promise<Connection> {
  const fileId = await upload({ files: rpc.backups }, 'b.switchboard-backup', backup)
  for await (const step of await rpc.backups.restore({ fileId }))
    if (step.kind === 'restored') return step.connection
  throw new Error('ended without a connection')
}

export const signInTo = ({ id, name, baseUrl, colour, production }: Connection) => ({
  ...{ id, name, baseUrl, colour, production },
  credential: { kind: 'password' as const, username: 'ana', password: 'secret' },
})

/** A connection with contacts, a listener secret and three queued outbox requests. */
export async function startFilled(): Promise<OutboxUnderTest> {
  const under = await startOutbox({ credential: 'password' })
  await under.rpc.listener.addSecret({ label: 'Test', value: signingSecret })
  await under.rpc.outbox.pause()
  await under.push(await under.add(3))
  return under
}

/** The archive with each entry changed by a function. */
export async function repacked(
  backup: Buffer,
  change: (name: string, content: Buffer) => Buffer,
): Promise<Buffer> {
  const target = pack()
  for await (const entry of Readable.from([gunzipSync(backup)]).pipe(extract())) {
    const { name } = entry.header
    target.entry({ name }, change(name, await buffer(entry)))
  }
  target.finalize()
  return gzipSync(await buffer(target))
}
