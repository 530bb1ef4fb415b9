import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signingKeyAccount } from '#electron/core/live/signed-exports/signing-key.ts'
import type { Verdict } from '#contract/live/signed-exports.ts'
import { download, upload } from '../../../../helpers/contact-files.ts'
import { dlrBody } from '../../../../helpers/deliver-events.ts'
import { takePort } from '../../../../helpers/ports.ts'
import { deliverSigned } from '../../../../helpers/signed-delivery.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { serviceSecret, startInSandbox } from '../../../../helpers/test-core.ts'
import { eventsStored, statusWhere, taskEnd } from '../../../../helpers/wait-for.ts'

/** Bytes that are not UTF-8, signed as they are. */
const binary = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])

let running: RunningCore
beforeAll(async () => {
  running = await startCore({})
  const { rpc } = running
  await rpc.connections.openSandbox()
  await rpc.listener.addSecret({ label: 'Test', value: serviceSecret })
  const { url } = (await rpc.listener.get()).status
  const dlr = dlrBody('m-1', 'delivered')
  for (const body of [dlr, dlr, binary])
    expect(await deliverSigned(url!, body as string, serviceSecret)).toBe(200)
  await eventsStored(rpc, 2)
})
afterAll(() => running.stop())

const spanOfNow = () => ({
  from: new Date(Date.now() - 600_000).toISOString(),
  to: new Date(Date.now() + 1_000).toISOString(),
})

async function exported(): Promise<string> {
  const { rpc } = running
  const { taskId } = await rpc.signedExports.export(spanOfNow())
  const task = await taskEnd(rpc, taskId)
  expect(task).toMatchObject({ kind: 'signed-export', state: 'done', problem: null, counts: { events: 2 } })
  return (await download(rpc, task.refId!)).toString()
}

async function verdictOf(content: string | Uint8Array): Promise<Verdict> {
  const fileId = await upload(running.rpc, 'file.ndjson', Buffer.from(content))
  for await (const step of await running.rpc.signedExports.verify({ fileId }))
    if (step.kind === 'verdict') return step.verdict
  throw new Error('no verdict came')
}

test('a signed export has every stored field of each event, no secret, and verifies where it was made', async () => {
  const file = await exported()
  const lines = file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines).toHaveLength(4)
  const { key } = await running.rpc.signedExports.key()
  expect(lines[0]).toMatchObject({
    format: 'switchboard-signed-export',
    version: 1,
    connection: 'Sandbox',
    arrived: 2,
  })
  expect(lines[1]).toMatchObject({
    n: 1,
    seq: 1,
    kind: 'dlr',
    status: 'delivered',
    verdict: 'signed',
    copies: 1,
    remote: '127.0.0.1',
  })
  expect(JSON.parse(lines[1]!['body'] as string)).toMatchObject({ message_id: 'm-1' })
  expect(lines[1]!['further']).toMatchObject([{ seq: 2, verdict: 'signed' }])
  expect(lines[2]).toMatchObject({ n: 2, kind: 'quarantined', body_base64: binary.toString('base64') })
  expect(file).not.toContain(serviceSecret)
  expect(file).not.toMatch(/signature"(?!:"[A-Za-z0-9+/=]{88}"}\n$)/)
  expect(await verdictOf(file)).toMatchObject({
    kind: 'valid',
    signedBy: 'this-console',
    fingerprint: key!.fingerprint,
    head: { connection: 'Sandbox', events: 2 },
  })
  const changed = file.replace('delivered', 'undelivered')
  expect(await verdictOf(changed)).toEqual({ kind: 'changed' })
  for (const other of [randomBytes(2_000_000), ''])
    expect(await verdictOf(other)).toEqual({ kind: 'not-an-export' })
  await expect(running.rpc.signedExports.export({ from: 'soon', to: 'later' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
})

test('another program can verify it with the README alone', async () => {
  const file = await exported()
  const signed = file.slice(0, file.trimEnd().lastIndexOf('\n') + 1)
  const { public_key } = JSON.parse(file.split('\n')[0]!) as { public_key: string }
  const { events, signature } = JSON.parse(file.slice(signed.length)) as { events: number; signature: string }
  const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' })
  const hash = createHash('sha256').update(signed).digest('hex')
  const text = Buffer.from(`switchboard-signed-export/1 ${hash} ${events}`)
  expect(verify(null, text, key, Buffer.from(signature, 'base64'))).toBe(true)
})

test('keeps the private key in the keychain: a locked one stops signing, a lost entry makes a new key', async () => {
  const { rpc, secrets } = running
  const first = await exported()
  const privateKey = secrets.values.get(signingKeyAccount)!
  expect(privateKey.length).toBeGreaterThan(40)
  const raw = Buffer.from(privateKey, 'base64')
  const files = readdirSync(running.dataDir, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  expect(files.length).toBeGreaterThan(5)
  for (const one of files) {
    const bytes = readFileSync(join(one.parentPath, one.name))
    expect(bytes.includes(privateKey) || bytes.includes(raw.subarray(-32)), one.name).toBe(false)
  }
  expect(JSON.stringify(running.log)).not.toContain(privateKey)

  secrets.fail({ kind: 'memory', code: 'KEYCHAIN_LOCKED', detail: 'locked' })
  const before = (await rpc.signedExports.key()).key!
  await expect(rpc.signedExports.export(spanOfNow())).rejects.toMatchObject({
    code: 'SIGNING_KEY_UNREADABLE',
  })
  secrets.fail(null)
  expect((await rpc.signedExports.key()).key).toEqual(before)

  secrets.values.delete(signingKeyAccount)
  await exported()
  const after = (await rpc.signedExports.key()).key!
  expect(after.fingerprint).not.toBe(before.fingerprint)
  expect(after.earlier).toEqual([before.fingerprint])
  expect(await verdictOf(first)).toMatchObject({
    kind: 'valid',
    signedBy: 'earlier-key',
    fingerprint: before.fingerprint,
  })

  secrets.values.set(signingKeyAccount, 'bm90IGEga2V5')
  await exported()
  expect((await rpc.signedExports.key()).key!.earlier).toEqual([after.fingerprint, before.fingerprint])
})

test('names a gap that is still open', async () => {
  const { port } = await takePort()
  const { rpc } = await startInSandbox({ config: { listenerPort: port } })
  await statusWhere(rpc, ({ listener }) => listener.state === 'failed')
  const { taskId } = await rpc.signedExports.export(spanOfNow())
  const file = (await download(rpc, (await taskEnd(rpc, taskId)).refId!)).toString()
  expect(JSON.parse(file.split('\n')[0]!)).toMatchObject({ gaps: [{ to: null }] })
})

test('a signed export covers whole seconds, those of its ends included', async () => {
  const { rpc } = running
  const [from, to] = ['2026-01-05T10:00:00.500Z', '2026-01-05T10:00:01.500Z']
  const { taskId } = await rpc.signedExports.export({ from, to })
  const [head] = (await download(rpc, (await taskEnd(rpc, taskId)).refId!)).toString().split('\n')
  const whole = { from: '2026-01-05T10:00:00.000Z', to: '2026-01-05T10:00:02.000Z' }
  expect(JSON.parse(head!)).toMatchObject(whole)
  const empty = { from: '2026-01-05T10:00:00Z', to: '2026-01-05T10:00:00Z' }
  await expect(rpc.signedExports.export(empty)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})
