import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifySignedExport } from '#electron/jobs/signed-exports/signed-export-verify.ts'
import { freeControl } from '../../../helpers/job-control.ts'

// Written here from the README alone, so that the format cannot change unnoticed.
const keys = generateKeyPairSync('ed25519')
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const derOf = ({ publicKey }: { publicKey: typeof keys.publicKey }) =>
  publicKey.export({ format: 'der', type: 'spki' })

interface Change {
  signedWith?: typeof keys
  named?: { publicKey: typeof keys.publicKey }
  header?: Record<string, unknown>
  signedCount?: number
}

/** A signed export of `events` events. */
function signedExport(
  events: number,
  { signedWith = keys, named = signedWith, header = {}, signedCount = events }: Change = {},
): string {
  const lines = [
    {
      format: 'switchboard-signed-export',
      version: 1,
      connection: 'Acme',
      service: 'https://api.example/v1',
      from: '2026-01-05T09:00:00.000Z',
      to: '2026-01-05T10:00:00.000Z',
      made_at: '2026-01-05T11:00:00.000Z',
      console: 'Switchboard 1',
      arrived: events + 1,
      public_key: derOf(named).toString('base64'),
      gaps: [],
      ...header,
    },
    ...Array.from({ length: events }, (_item, at) => ({
      n: at + 1,
      seq: at + 7,
      body: `{"status":"delivered","at":${at}}`,
      content: 'ü€',
    })),
  ]
  const signed = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const text = `switchboard-signed-export/1 ${sha256(signed)} ${signedCount}`
  const signature = sign(null, Buffer.from(text), signedWith.privateKey).toString('base64')
  return `${signed}{"end":true,"events":${events},"signature":"${signature}"}\n`
}

let dir: string
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), 'signed-export-'))))
afterAll(() => rmSync(dir, { recursive: true }))

function verify(content: string | Uint8Array) {
  const file = join(dir, 'file')
  writeFileSync(file, content)
  return verifySignedExport({ file }, freeControl())
}

describe('a signed export', () => {
  test.each([0, 1, 3, 40_000])('of %i events verifies', async (events) => {
    expect(await verify(signedExport(events))).toMatchObject({
      kind: 'valid',
      fingerprint: sha256(derOf(keys)),
      head: { connection: 'Acme', events, arrived: events + 1, gaps: 0 },
    })
  })

  test('fails with any bit flipped, any byte removed or added, and when cut off anywhere', async () => {
    const bytes = Buffer.from(signedExport(2))
    const kinds = new Set<string>()
    for (let at = 0; at < bytes.length; at++) {
      const bit = 1 << (at % 8)
      const turned = Buffer.from(bytes)
      turned[at]! ^= bit
      const shorter = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
      const longer = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([bytes[at]! ^ bit]),
        bytes.subarray(at),
      ])
      for (const changed of at % 4 === 0 ? [turned, shorter, longer, bytes.subarray(0, at)] : [turned])
        kinds.add((await verify(changed)).kind)
    }
    expect(kinds).toEqual(new Set(['changed', 'not-an-export', 'newer-version']))
  })

  test('fails with lines removed, moved or repeated, and with anything after its closing line', async () => {
    const valid = signedExport(3)
    const [header, one, two, three, closing] = valid.split('\n')
    for (const lines of [
      [header, one, two, closing],
      [header, two, one, three, closing],
      [header, one, one, two, three, closing],
    ])
      expect(await verify(`${lines.join('\n')}\n`)).toEqual({ kind: 'changed' })
    expect(await verify(valid.replace(/\n$/, ' \n'))).toEqual({ kind: 'changed' })
    for (const more of ['\n', ' ', 'x', '\0', `${closing}\n`, closing, valid])
      expect(await verify(valid + more)).toEqual({ kind: 'changed' })
  })

  test('verifies only with the key that signed it', async () => {
    const other = generateKeyPairSync('ed25519')
    expect(await verify(signedExport(2, { signedWith: other }))).toMatchObject({
      kind: 'valid',
      fingerprint: sha256(derOf(other)),
    })
    for (const change of [
      { signedWith: other, named: keys },
      { named: other },
      { named: generateKeyPairSync('x25519') },
      { header: { public_key: 'none' } },
      { header: { public_key: null } },
      { signedCount: 1 },
    ])
      expect(await verify(signedExport(2, change))).toEqual({ kind: 'changed' })
  })

  test('is distinguished from files of other programs and newer versions', async () => {
    const valid = signedExport(1)
    for (const content of [
      '',
      '\n',
      '{}\n',
      'seq,received_at\n1,2\n',
      Buffer.alloc(100_000),
      Buffer.from('\ufeff' + valid),
      Buffer.from(valid, 'utf16le'),
      valid.replaceAll('switchboard-signed-export', 'switchboard-signed-exporT'),
      'x'.repeat(5 << 20),
    ])
      expect(await verify(content)).toEqual({ kind: 'not-an-export' })
    expect(await verify(signedExport(1, { header: { version: 2 } }))).toEqual({ kind: 'newer-version' })
    const beginning = '{"format":"switchboard-signed-export"'
    for (const content of [
      valid.replaceAll('\n', '\r\n'),
      beginning,
      `${beginning},nothing}\n`,
      `${beginning}${'['.repeat(20 << 20)}`,
    ])
      expect(await verify(content)).toEqual({ kind: 'changed' })
  })
})
