import Sqlite from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { extract, type Header, pack } from 'tar-stream'
import { expect, test } from 'vitest'
import { endless } from '../../../../helpers/held-write.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { backUp, repacked, restore, signInTo, startFilled } from './backup-fixture.ts'

type Manifest = {
  files: { name: string; sizeBytes: number; sha256: string }[]
  connection: Record<string, unknown>
  settings: Record<string, unknown>
}

const changedManifest = (backup: Buffer, change: (manifest: Manifest) => unknown) =>
  repacked(backup, (name, content) => {
    if (name !== 'manifest.json') return content
    const manifest = JSON.parse(content.toString('utf8')) as Manifest
    return Buffer.from(JSON.stringify(change(manifest) ?? manifest))
  })

/** The archive with one database replaced, as a careful attacker would: size and hash fit. */
async function withFile(backup: Buffer, file: string, changed: (content: Buffer) => Buffer): Promise<Buffer> {
  let replaced: Buffer = Buffer.alloc(0)
  const half = await repacked(backup, (name, content) =>
    name === file ? (replaced = changed(content)) : content,
  )
  return changedManifest(half, (manifest) => {
    const listed = manifest.files.find(({ name }) => name === file)!
    listed.sizeBytes = replaced.length
    listed.sha256 = createHash('sha256').update(replaced).digest('hex')
  })
}

const withSql = (backup: Buffer, sql: string, database = 'state') =>
  withFile(backup, `${database}.db`, (content) => {
    const file = join(tempFolder(), 'changed.db')
    writeFileSync(file, content)
    const db = new Sqlite(file)
    db.exec(sql)
    db.pragma('journal_mode = DELETE')
    db.close()
    return readFileSync(file)
  })

/**
 * A table tree of the schema without an end: `depth` interior pages, each pointing 200 times at the next. The rows at the
 * bottom are valid, so SQLite reads them 200^depth times.
 */
function deepSchema(content: Buffer, depth = 12): Buffer {
  const pageBytes = content.readUInt16BE(16)
  const source = join(tempFolder(), 'leaf.db')
  const db = new Sqlite(source)
  db.pragma(`page_size = ${pageBytes}`)
  db.exec('CREATE TABLE t (a TEXT PRIMARY KEY)')
  db.pragma('user_version = 1')
  db.close()
  const small = readFileSync(source)
  // The table's own row first, then the row of its automatic index, which may repeat.
  const leafOf = (row: number) => {
    const page = Buffer.from(small.subarray(0, pageBytes))
    const at = page.readUInt16BE(100 + 8 + 2 * row)
    const leaf = Buffer.alloc(pageBytes)
    leaf[0] = 13
    leaf.writeUInt16BE(1, 3)
    const cell = page.subarray(at, row === 0 ? pageBytes : page.readUInt16BE(100 + 8))
    leaf.writeUInt16BE(pageBytes - cell.length, 5)
    leaf.writeUInt16BE(pageBytes - cell.length, 8)
    cell.copy(leaf, pageBytes - cell.length)
    return leaf
  }
  const interior = (at: number, children: number[]) => {
    const page = Buffer.alloc(pageBytes)
    page[at] = 5
    page.writeUInt16BE(children.length - 1, at + 3)
    page.writeUInt32BE(children.at(-1)!, at + 8)
    let end = pageBytes
    for (const [index, child] of children.slice(0, -1).entries()) {
      end -= 5
      page.writeUInt32BE(child, end)
      page[end + 4] = 1
      page.writeUInt16BE(end, at + 12 + 2 * index)
    }
    page.writeUInt16BE(end, at + 5)
    return page
  }
  // 1: root. 2, 3: the table and its index. 4: leaf with the table's row. 5: leaf with the index's. 6…: interior pages.
  const repeated = (child: number) => new Array<number>(200).fill(child)
  const root = interior(100, [4, 6])
  small.copy(root, 0, 0, 100)
  const pages = [root, small.subarray(pageBytes, 2 * pageBytes), small.subarray(2 * pageBytes, 3 * pageBytes)]
  pages.push(leafOf(0), leafOf(1))
  for (let n = 0; n < depth; n++) pages.push(interior(0, repeated(n === depth - 1 ? 5 : 7 + n)))
  root.writeUInt32BE(pages.length, 28)
  return Buffer.concat(pages)
}

/** The archive with another entry at its end. */
async function withEntry(
  backup: Buffer,
  header: Partial<Header> & { name: string },
  content = '',
): Promise<Buffer> {
  const target = pack()
  for await (const entry of Readable.from([gunzipSync(backup)]).pipe(extract()))
    target.entry({ name: entry.header.name }, await buffer(entry))
  target.entry(header, content)
  target.finalize()
  return gzipSync(await buffer(target))
}

test('refuses a file that is damaged, foreign, newer, carries code, hangs a reader or leaves its folder', async () => {
  const { rpc, running, service } = await startFilled()
  const backup = await backUp(rpc)
  const flipped = Buffer.from(backup)
  flipped[Math.floor(flipped.length / 2)]! ^= 0xff
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const resuming = 'BEGIN UPDATE outbox_control SET paused = 0; END'
  const unlisted = { name: '../state.db', sizeBytes: 1, sha256: '0'.repeat(64) }
  const listed = { name: 'sends/a.plan', sizeBytes: 1, sha256: '0'.repeat(64) }
  const schemas = { state: 999, cache: 1, contacts: 1, journal: 1 }
  const withBase = (baseUrl: string) =>
    changedManifest(
      backup,
      ({ connection }) => void Object.assign(connection, { baseUrl, allowPlainHttp: true }),
    )
  const cases: Record<string, Record<string, Buffer | Promise<Buffer>>> = {
    BACKUP_DAMAGED: {
      'one byte changed': flipped,
      'cut off': backup.subarray(0, backup.length - 2_000),
      'a database changed and packed again': repacked(backup, (name, content) => {
        if (name === 'contacts.db') content[content.length - 1]! ^= 1
        return content
      }),
      'a trigger that resumes the outbox': withSql(
        backup,
        `CREATE TRIGGER t AFTER UPDATE ON outbox_control ${resuming}`,
      ),
      'a trigger that never ends': withSql(
        backup,
        `CREATE TRIGGER t BEFORE UPDATE ON outbox_control BEGIN ${endless}; END`,
      ),
      'a view instead of a table': withSql(
        backup,
        `ALTER TABLE outbox_control RENAME TO other;
         CREATE VIEW outbox_control AS ${endless.replace('max(i)', '1 AS id, 0 AS paused')}`,
      ),
      'an endless view that nothing reads': withSql(backup, `CREATE VIEW v AS ${endless}`, 'cache'),
      'another table': withSql(backup, 'CREATE TABLE extra (a TEXT) STRICT', 'contacts'),
      'another index': withSql(backup, 'CREATE INDEX extra ON deliveries (remote)', 'journal'),
      'a missing table': withSql(backup, 'DROP TABLE hashed_holds'),
      'a schema without an end': withFile(backup, 'cache.db', (content) => deepSchema(content)),
      'a request of an unknown kind': withSql(backup, "UPDATE outbox SET operation = 'other'"),
      'a recipients’ file changed': withEntry(backup, { name: 'sends/a.plan' }, 'x').then((changed) =>
        changedManifest(changed, ({ files }) => void files.push(listed)),
      ),
      'a file that is not listed': withEntry(backup, { name: 'sends/extra.csv' }, 'x'),
      'a file twice': withEntry(backup, { name: 'state.db' }, 'x'),
      'a link': withEntry(backup, { name: 'sends/a', type: 'symlink', linkname: '/etc/passwd' }),
      'a path upwards': withEntry(backup, { name: '../../x' }, 'x'),
    },
    BACKUP_UNKNOWN: {
      'no archive': Buffer.from('name,phone\n'),
      empty: Buffer.alloc(0),
      'a listed path out of the folder': changedManifest(backup, (json) => ({ ...json, files: [unlisted] })),
      'a deep manifest': repacked(backup, (name, content) =>
        name === 'manifest.json'
          ? Buffer.from(content.toString('utf8').replace('"settings":{', `"settings":{"deep":${nested},`))
          : content,
      ),
      'a base URL that is none': withBase('http://['),
      'a base URL of another kind': withBase('file:///etc'),
    },
    BACKUP_FROM_FUTURE: {
      'a newer format': changedManifest(backup, (json) => ({ ...json, version: 2 })),
      'a newer schema': changedManifest(backup, (json) => ({ ...json, schemas })),
    },
    DISK_FULL: {
      'more than the disk holds': changedManifest(
        backup,
        ({ files }) => void (files[0]!.sizeBytes = 2 ** 52),
      ),
    },
  }
  const folder = join(running.dataDir, 'connections')
  const before = readdirSync(folder)
  for (const [code, files] of Object.entries(cases))
    for (const [what, file] of Object.entries(files)) {
      await expect(restore(rpc, await file), what).rejects.toMatchObject({ code })
      expect(readdirSync(folder), what).toEqual(before)
    }
  expect((await rpc.connections.list()).connections).toHaveLength(1)
  expect(service.requests).toEqual([])
})

test('pauses the outbox of a backup that lacks its switch', async () => {
  const under = await startFilled()
  const lacking = await withSql(await backUp(under.rpc), 'DELETE FROM outbox_control')
  const restored = await restore(under.rpc, lacking)
  await under.rpc.connections.connect(signInTo(restored))
  expect(await under.until(() => true)).toMatchObject({ state: 'paused', counts: { queued: 3 } })
})

test('restores no consent, and listens and sends only after a sign-in', async () => {
  const under = await startFilled()
  const { rpc, service } = under
  const consenting = await changedManifest(await backUp(rpc), ({ connection, settings }) => {
    connection['allowPlainHttp'] = true
    connection['name'] = 'Acme\u202e\n production'
    settings['listener'] = { config: { path: '/other', allowUnsigned: true }, secrets: [] }
  })
  const restored = await restore(rpc, consenting)
  expect(restored).toMatchObject({ allowPlainHttp: false, name: 'Acme production' })
  const list = () => rpc.connections.list()
  expect((await list()).restored).toEqual([
    { id: restored.id, createdAt: expect.any(String) as string, waiting: { 'create-contact': 3 } },
  ])

  await rpc.connections.open({ id: restored.id })
  expect(await rpc.listener.get()).toMatchObject({
    config: { allowUnsigned: false },
    status: { state: 'stopped', url: null },
  })
  const signIn = signInTo(restored)
  await service.goOffline()
  await expect(rpc.connections.connect(signIn)).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' })
  await rpc.connections.connect({ ...signIn, evenOffline: true })
  expect((await rpc.listener.get()).status.state).toBe('stopped')
  await service.goOnline()
  await rpc.connections.connect(signIn)
  expect((await rpc.listener.get()).status.state).toBe('listening')
  expect((await list()).restored).toEqual([])
  expect(await under.until(() => true)).toMatchObject({ state: 'paused' })
})

test('asks for the host again before it uses plain http', async () => {
  const { rpc } = await startFilled()
  const plain = await changedManifest(await backUp(rpc), ({ connection }) => {
    connection['allowPlainHttp'] = true
    connection['baseUrl'] = 'http://192.0.2.10/v1'
  })
  const restored = await restore(rpc, plain)
  const refused = { code: 'BASE_URL_NOT_HTTPS' }
  await expect(rpc.connections.open({ id: restored.id })).rejects.toMatchObject(refused)
  await expect(rpc.connections.connect(signInTo(restored))).rejects.toMatchObject(refused)
})
