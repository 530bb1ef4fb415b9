import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifySignedExport } from '#electron/jobs/signed-exports/signed-export-verify.ts'
import { freeControl } from '../../../helpers/job-control.ts'

// Written here from the README alone, so that the format cannot change unnoticed.
const keys = generateKeyPairSync('ed25519')
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const derOf = ({ publicKey }: typeof keys) => publicKey.export({ format: 'der', type: 'spki' })

interface Change {
  signedWith?: typeof keys
  named?: typeof keys
  header?: Record<string, unknown>
  lines?: (lines: string[]) => string[]
  count?: number
}

/** A signed export of `events` events, changed before it is chained and signed. */
function signedExport(
  events: number,
  { signedWith = keys, named = signedWith, header = {}, lines = (all) => all, count = events }: Change = {},
): string {
  const der = derOf(named)
  const bodies = Array.from({ length: events }, (_item, at) =>
    JSON.stringify({ n: at + 1, seq: at + 7, body: `{"status":"delivered","at":${at}}`, content: 'ü€' }),
  )
  const chained: string[] = [
    JSON.stringify({
      format: 'switchboard-recording',
      version: 1,
      connection: 'Acme',
      service: 'https://api.example/v1',
      from: '2026-01-05T09:00:00.000Z',
      to: '2026-01-05T10:00:00.000Z',
      made_at: '2026-01-05T11:00:00.000Z',
      console: 'Switchboard 1',
      events,
      first_seq: events === 0 ? null : 7,
      last_seq: events === 0 ? null : 6 + events,
      public_key: der.toString('base64'),
      fingerprint: sha256(der),
      gaps: [],
      ...header,
    }),
  ]
  for (const body of lines(bodies)) chained.push(`{"prev":"${sha256(chained.at(-1)!)}",${body.slice(1)}`)
  const prev = sha256(chained.at(-1)!)
  const signature = sign(null, Buffer.from(`switchboard-recording/1 ${prev} ${count}`), signedWith.privateKey)
  chained.push(
    `{"prev":"${prev}","end":true,"events":${count},"signature":"${signature.toString('base64')}"}`,
  )
  return `${chained.join('\n')}\n`
}

let dir: string
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), 'signed-export-'))))
afterAll(() => rmSync(dir, { recursive: true }))

const verifyFile = (file: string) => verifySignedExport({ file }, freeControl())
function verify(content: string | Uint8Array) {
  const file = join(dir, 'file')
  writeFileSync(file, content)
  return verifyFile(file)
}

describe('a signed export', () => {
  test.each([0, 1, 3, 40_000])('of %i events verifies', async (events) => {
    const valid = { kind: 'valid', fingerprint: sha256(derOf(keys)), head: { connection: 'Acme', events } }
    expect(await verify(signedExport(events))).toMatchObject(valid)
  })

  test('fails with any bit flipped, or any byte removed or added', async () => {
    const bytes = Buffer.from(signedExport(2))
    const kinds = new Map<string, number>()
    for (let at = 0; at < bytes.length; at++) {
      const bit = 1 << (at % 8)
      const turned = Buffer.from(bytes)
      turned[at]! ^= bit
      const cut = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
      const more = Buffer.concat([bytes.subarray(0, at), Buffer.from([bytes[at]! ^ bit]), bytes.subarray(at)])
      for (const changed of at % 4 === 0 ? [turned, cut, more] : [turned]) {
        const { kind } = await verify(changed)
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      }
    }
    expect([...kinds.keys()]).not.toContain('valid')
    expect(kinds.get('changed')).toBeGreaterThan(bytes.length)
  })

  test('fails when cut off anywhere; after a line the verdict says so', async () => {
    const bytes = Buffer.from(signedExport(2))
    for (let length = 0; length < bytes.length; length += 3)
      expect((await verify(bytes.subarray(0, length))).kind).not.toBe('valid')
    const lines = bytes.toString().split('\n')
    for (let count = 1; count < lines.length - 1; count++)
      expect(await verify(`${lines.slice(0, count).join('\n')}\n`)).toEqual({ kind: 'cut-off', lines: count })
    expect(await verify(bytes.subarray(0, -1))).toEqual({ kind: 'cut-off', lines: 3 })
  })

  test('names the first changed line', async () => {
    const lines = signedExport(6).split('\n')
    const put = (at: number, line: string) =>
      lines.map((each, index) => (index === at ? line : each)).join('\n')
    for (let at = 0; at < 7; at++) {
      const verdict = await verify(put(at, lines[at]!.replace(/.(?=.?.?.?.?.?}$)/, 'x')))
      expect(verdict, lines[at]).toMatchObject({ kind: 'changed', line: at + 1 })
    }
    const flipped = lines[3]!.replace(/(?<=^{"prev":")./, (first) => (first === '0' ? '1' : '0'))
    expect(await verify(put(3, flipped))).toMatchObject({ kind: 'changed', line: 4 })
    const [header, one, two, three, four, ...rest] = lines
    for (const other of [
      [header, one, two, four, ...rest],
      [header, one, two, four, three, ...rest],
    ])
      expect(await verify(other.join('\n'))).toMatchObject({ kind: 'changed' })
  })

  test('counts anything after its closing line as a change', async () => {
    const valid = signedExport(2)
    const closing = valid.split('\n').at(-2)!
    for (const more of ['\n', ' ', 'x', '\0', `${closing}\n`, closing, valid])
      expect(await verify(valid + more)).toMatchObject({ kind: 'changed', line: 5 })
  })

  test('signed again by someone else verifies under the other key only if complete', async () => {
    const other = generateKeyPairSync('ed25519')
    const theirs = { kind: 'valid', fingerprint: sha256(derOf(other)) }
    expect(await verify(signedExport(2, { signedWith: other }))).toMatchObject(theirs)
    for (const change of [
      { signedWith: other, named: keys },
      { signedWith: keys, named: other },
      { signedWith: other, header: { fingerprint: sha256(derOf(keys)) } },
      { signedWith: other, header: { public_key: derOf(keys).toString('base64') } },
      { header: { public_key: 'none' } },
      { header: { public_key: derOf(generateKeyPairSync('x25519')).toString('base64') } },
      { header: { events: 1 } },
      { header: { last_seq: 9 } },
      { header: { first_seq: 6 } },
      { count: 1 },
      { lines: (all: string[]) => all.slice(0, 1) },
      { lines: (all: string[]) => [...all, all[1]!] },
      { lines: (all: string[]) => all.toReversed() },
      { lines: (all: string[]) => [all[0]!, '{nothing}'] },
      { lines: (all: string[]) => [all[0]!, '{"n":2'] },
    ])
      expect(await verify(signedExport(2, change)), JSON.stringify(change.header)).toMatchObject({
        kind: 'changed',
      })
  })

  test('is distinguished from files of other programs', async () => {
    const valid = signedExport(1)
    for (const content of [
      '',
      '\n',
      '{}\n',
      'seq,received_at\n1,2\n',
      Buffer.alloc(100_000),
      Buffer.from('\ufeff' + valid),
      Buffer.from(valid, 'utf16le'),
      valid.replaceAll('switchboard-recording', 'switchboard-recordinG'),
      signedExport(1, { header: { version: 2 } }),
      '{"format":"switchboard-recording"',
      'x'.repeat(5 << 20),
    ]) {
      const { kind } = await verify(content)
      expect(['not-an-export', 'cut-off']).toContain(kind)
    }
    expect(await verify(valid.replaceAll('\n', '\r\n'))).toMatchObject({ kind: 'changed' })
    const broken = '{"format":"switchboard-recording",nothing}\n'
    expect(await verify(broken)).toMatchObject({ kind: 'changed', line: 1 })
  })

  test('fails at once when a line never ends', async () => {
    const file = join(dir, 'huge')
    const fd = openSync(file, 'w')
    writeSync(fd, signedExport(1).split('\n').slice(0, 2).join('\n'))
    // A sparse file: a gigabyte that takes no space.
    writeSync(fd, Buffer.from('x'), 0, 1, 2 ** 30)
    closeSync(fd)
    expect(await verifyFile(file)).toMatchObject({ kind: 'changed', line: 2 })
    const nested = `{"prev":"${'0'.repeat(64)}","n":${'['.repeat(3 << 20)}\n`
    expect(await verify(signedExport(1).split('\n')[0]! + '\n' + nested)).toMatchObject({ kind: 'changed' })
  })
})
