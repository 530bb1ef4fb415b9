import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { UsageError } from './config.ts'
import { writeDurably } from './durable-file.ts'

const shape = z.object({
  name: z.string(),
  /** The inbox it reads; null: only the metrics. */
  inbox: z.string().nullable(),
  /** SHA-256 of the token. It has 256 random bits, so it needs no salt. */
  hash: z.string(),
  createdMs: z.number(),
  revokedMs: z.number().nullable(),
})
export type TokenRecord = z.infer<typeof shape>

/** The running relay looks for new and revoked tokens this often. */
const pollMs = 1_000
/** An unknown token makes it look at once, but only so often between two polls. */
const mostMissReads = 10
const prefix = 'swr_'

const folderOf = (dataDir: string) => join(dataDir, 'tokens')
const fileOf = (dataDir: string, name: string) => join(folderOf(dataDir), `${name}.json`)
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

function write(dataDir: string, record: TokenRecord): void {
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 })
  writeDurably(fileOf(dataDir, record.name), JSON.stringify(record))
}

const nameShape = /^[a-z0-9][a-z0-9-]{0,62}$/

function find(dataDir: string, name: string): TokenRecord | undefined {
  if (!nameShape.test(name))
    throw new UsageError(
      `"${name}" can't be a token's name. Use lower-case letters, digits and hyphens, for example "ana-laptop".`,
    )
  return existsSync(fileOf(dataDir, name)) ? readRecord(fileOf(dataDir, name)) : undefined
}

function readRecord(file: string): TokenRecord {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new UsageError(
      `The token file ${file} can't be read. Other tokens were not changed. Delete the file and add the token again.`,
      { cause },
    )
  }
}

/** Returns the new token. Only its hash is stored. A revoked name may be used again and keeps its reading position. */
export function addToken(dataDir: string, name: string, inbox: string | null, nowMs: number): string {
  const existing = find(dataDir, name)
  if (existing && existing.revokedMs === null)
    throw new UsageError(
      `There is already a token named "${name}". Choose another name, or revoke it first: npm run relay -- token revoke ${name}`,
    )
  const token = prefix + randomBytes(32).toString('base64url')
  write(dataDir, { name, inbox, hash: hashOf(token), createdMs: nowMs, revokedMs: null })
  return token
}

/** A running relay closes its feeds within about a second. */
export function revokeToken(dataDir: string, name: string, nowMs: number): void {
  const record = find(dataDir, name)
  if (!record)
    throw new UsageError(
      `There is no token named "${name}". Nothing was changed. List them: npm run relay -- token list`,
    )
  if (record.revokedMs === null) write(dataDir, { ...record, revokedMs: nowMs })
}

/** All tokens, by name. Throws `UsageError` when a file is unreadable. */
export function listTokens(dataDir: string): TokenRecord[] {
  if (!existsSync(folderOf(dataDir))) return []
  return readdirSync(folderOf(dataDir))
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => readRecord(join(folderOf(dataDir), file)))
}

export type TokenBook = ReturnType<typeof openTokenBook>

/** The tokens for a running relay; follows changes that another process makes to the files. */
export function openTokenBook(dataDir: string, clock: Clock, log: Log, onChange: () => void) {
  let records = listTokens(dataDir)
  let missReads = 0
  let isReadable = true
  function refresh(): void {
    try {
      const found = listTokens(dataDir)
      isReadable = true
      if (JSON.stringify(found) === JSON.stringify(records)) return
      records = found
      onChange()
    } catch (error) {
      if (isReadable) log.error('The tokens could not be read; the known ones stay valid', { error })
      isReadable = false
    }
  }
  const cancel = clock.every(pollMs, () => {
    missReads = 0
    refresh()
  })
  return {
    /** The record of a token, revoked or not. Compares hashes, so timing tells nothing about the token. */
    find(token: string): TokenRecord | undefined {
      const hash = hashOf(token)
      const known = records.find((one) => one.hash === hash)
      if (known || missReads++ >= mostMissReads) return known
      // It may have been added a moment ago.
      refresh()
      return records.find((one) => one.hash === hash)
    },
    isValid: ({ hash }: TokenRecord): boolean =>
      records.some((one) => one.hash === hash && one.revokedMs === null),
    /** Names of valid tokens for an inbox. */
    readersOf: (inbox: string): string[] =>
      records.filter((one) => one.inbox === inbox && one.revokedMs === null).map(({ name }) => name),
    close: cancel,
  }
}
