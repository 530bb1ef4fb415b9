import { createHash } from 'node:crypto'
import { AppError } from '../../contract/errors.ts'
import type { Ask } from './keychain-caller.ts'

/**
 * Bytes per Windows credential: `CRED_MAX_CREDENTIAL_BLOB_SIZE`, 5 × 512 (Microsoft, wincred.h). Longer
 * values fail with "The stub received bad data" (atom/node-keytar #112).
 */
export const windowsLimitBytes = 2_560

/** Values of any length by account. `delete` returns whether nothing is read afterwards. */
export interface Values {
  get(ask: Ask, account: string): Promise<string | null>
  set(ask: Ask, account: string, value: string): Promise<void>
  delete(ask: Ask, account: string): Promise<boolean>
}

const get = (ask: Ask, account: string) => ask({ op: 'get', account }) as Promise<string | null>
const remove = (ask: Ask, account: string) => ask({ op: 'delete', account }) as Promise<boolean>

/** One value per account, as on Linux and macOS. */
const wholeValues: Values = {
  get,
  async set(ask, account, value) {
    await ask({ op: 'set', account, value })
  },
  delete: remove,
}

const marker = 'switchboard-parts:'
type Generation = 'a' | 'b'
const generations: readonly Generation[] = ['a', 'b']

interface Head {
  generation: Generation
  count: number
  sha256: string
}

const checksum = (value: string) => createHash('sha256').update(value).digest('hex')
const partAccount = (account: string, generation: Generation, n: number) => `${account}#${generation}${n}`
const incomplete = () => new AppError('KEYCHAIN_FAILED', { detail: { key: 'keychain.incomplete' } })

function parseHead(stored: string | null): Head | null {
  if (!stored?.startsWith(marker)) return null
  const match = /^([ab]):([1-9]\d*):([0-9a-f]{64})$/.exec(stored.slice(marker.length))
  if (!match) throw incomplete()
  return { generation: match[1] as Generation, count: Number(match[2]), sha256: match[3]! }
}

/** Cuts `value` into parts of at most `limitBytes` UTF-8 bytes, never inside a character. */
function cut(value: string, limitBytes: number): string[] {
  const bytes = Buffer.from(value)
  const parts: string[] = []
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + limitBytes, bytes.length)
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
    parts.push(bytes.toString('utf8', start, end))
    start = end
  }
  return parts
}

/** Removes one generation's parts, last first, so part 1 exists as long as any part does. */
async function removeParts(ask: Ask, account: string, generation: Generation): Promise<boolean> {
  let count = 0
  while ((await get(ask, partAccount(account, generation, count + 1))) !== null) count++
  let isDeleted = true
  for (let n = count; n >= 1; n--)
    isDeleted = (await remove(ask, partAccount(account, generation, n))) && isDeleted
  return isDeleted
}

/**
 * Spreads values longer than `limitBytes` over numbered accounts (`account#a1`, `#a2`, …); the account itself
 * then holds their count and a checksum. A new value goes to the other letter and the account switches last,
 * so a crash in between keeps the old value. Undefined `limitBytes` stores values whole. `get` throws
 * KEYCHAIN_FAILED when parts are missing or don't match.
 */
export function createValues(limitBytes: number | undefined): Values {
  if (limitBytes === undefined) return wholeValues
  return {
    async get(ask, account) {
      const stored = await get(ask, account)
      const head = parseHead(stored)
      if (!head) return stored
      let value = ''
      for (let n = 1; n <= head.count; n++) {
        const part = await get(ask, partAccount(account, head.generation, n))
        if (part === null) throw incomplete()
        value += part
      }
      if (checksum(value) !== head.sha256) throw incomplete()
      return value
    },
    async set(ask, account, value) {
      const stored = await get(ask, account)
      const used: Generation = stored?.startsWith(`${marker}b`) ? 'b' : 'a'
      const generation: Generation = used === 'a' ? 'b' : 'a'
      const isSplit = value.startsWith(marker) || Buffer.byteLength(value) > limitBytes
      await removeParts(ask, account, generation)
      if (isSplit) {
        const parts = cut(value, limitBytes)
        for (const [index, part] of parts.entries())
          await ask({ op: 'set', account: partAccount(account, generation, index + 1), value: part })
        const head = `${marker}${generation}:${parts.length}:${checksum(value)}`
        await ask({ op: 'set', account, value: head })
      } else {
        await ask({ op: 'set', account, value })
      }
      await removeParts(ask, account, used)
    },
    async delete(ask, account) {
      let isDeleted = await remove(ask, account)
      for (const generation of generations)
        isDeleted = (await removeParts(ask, account, generation)) && isDeleted
      return isDeleted
    },
  }
}
