import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { AppError } from '../contract/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { UsageError } from '../lib/command-line.ts'
import type { Documents } from './documents.ts'

const shape = z.object({
  name: z.string(),
  /** The inbox it reads; null: only the metrics. */
  inbox: z.string().nullable(),
  /** SHA-256 of the token. It has 256 random bits, so it needs no salt. */
  hash: z.string(),
  createdMs: z.number(),
  revokedMs: z.number().nullable(),
  /** Reads the team's log, but may not post to it. */
  readOnly: z.boolean().default(false),
})
export type TokenRecord = z.infer<typeof shape>

/** The running relay looks for new and revoked tokens this often. */
const pollMs = 1_000
/** An unknown token makes it look at once, but only so often between two polls. */
const mostUnknownReads = 10
const prefix = 'swr_'

const keyOf = (name: string) => `tokens/${name}`
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
const nameShape = /^[a-z0-9][a-z0-9-]{0,62}$/

function checkName(name: string): void {
  if (!nameShape.test(name))
    throw new UsageError(
      `"${name}" can't be a token's name. Use lower-case letters, digits and hyphens, for example "ana-laptop".`,
    )
}

function parse(documents: Documents, key: string, text: string): TokenRecord {
  try {
    return shape.parse(JSON.parse(text))
  } catch (cause) {
    throw new UsageError(
      `The token in ${documents.place(key)} can't be read. Other tokens were not changed. Delete it and add the token again.`,
      { cause },
    )
  }
}

/** Returns the new token. Only its hash is stored. A revoked name may be used again. */
export async function addToken(
  documents: Documents,
  name: string,
  inbox: string | null,
  nowMs: number,
  readOnly = false,
): Promise<string> {
  checkName(name)
  const token = prefix + randomBytes(32).toString('base64url')
  const record: TokenRecord = {
    name,
    inbox,
    hash: hashOf(token),
    createdMs: nowMs,
    revokedMs: null,
    readOnly,
  }
  await documents.update(keyOf(name), (newest) => {
    if (newest !== undefined && parse(documents, keyOf(name), newest).revokedMs === null)
      throw new UsageError(
        `There is already a token named "${name}". Choose another name, or revoke it first: token revoke ${name}`,
      )
    return JSON.stringify(record)
  })
  return token
}

/** Running relays close its feeds within about a second. */
export async function revokeToken(documents: Documents, name: string, nowMs: number): Promise<void> {
  checkName(name)
  await documents.update(keyOf(name), (newest) => {
    if (newest === undefined)
      throw new UsageError(`There is no token named "${name}". Nothing was changed. List them: token list`)
    const record = parse(documents, keyOf(name), newest)
    return record.revokedMs === null ? JSON.stringify({ ...record, revokedMs: nowMs }) : newest
  })
}

/** All tokens, by name. Throws `UsageError` when one is unreadable. */
export const listTokens = (documents: Documents): TokenRecord[] =>
  documents
    .keys(keyOf(''))
    .sort()
    .map((key) => parse(documents, key, documents.read(key)!))

/** The token that a request carries; empty without one. */
export const bearerToken = ({ headers }: IncomingMessage): string =>
  /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''

export type RelayTokens = ReturnType<typeof openTokens>

/** The tokens for a running relay; follows changes that other processes make. */
export function openTokens(documents: Documents, clock: Clock, log: Log, onChange: () => void) {
  let records = listTokens(documents)
  let unknownReads = 0
  let isReadable = true
  async function refresh(): Promise<void> {
    try {
      await documents.refresh()
      const found = listTokens(documents)
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
    unknownReads = 0
    void refresh()
  })
  return {
    /**
     * The record of a token, revoked or not. Compares hashes, so timing reveals nothing about the token. Throws while
     * the tokens can't be read: an unknown one may be new.
     */
    async find(token: string): Promise<TokenRecord | undefined> {
      const hash = hashOf(token)
      const find = () => records.find((one) => one.hash === hash)
      if (!find() && unknownReads++ < mostUnknownReads) await refresh()
      const found = find()
      if (!found && !isReadable) throw new AppError('STORAGE_FAILED', { detail: 'tokens' })
      return found
    },
    isValid: ({ hash }: TokenRecord): boolean =>
      records.some((one) => one.hash === hash && one.revokedMs === null),
    /** Names of valid tokens for an inbox. */
    readersOf: (inbox: string): string[] =>
      records.filter((one) => one.inbox === inbox && one.revokedMs === null).map(({ name }) => name),
    close: cancel,
  }
}
