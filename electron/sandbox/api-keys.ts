import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** A listed API key. The key itself is shown once, at creation. */
export interface ApiKeyRecord {
  id: string
  name: string
  user_id: string
  username: string
  created_at: string
}

/** The keys there are. They stand for a user in every call but login. */
export interface ApiKeys {
  create(name: string, userId: string, username: string, createdAt: string): ApiKeyRecord & { key: string }
  list(): ApiKeyRecord[]
  /** False when there is no such key. */
  revoke(id: string): boolean
  /** The user whose permissions the key has, or null when it is unknown or revoked. */
  read(key: string): string | null
  /** `[digest, record]`, for the state file. */
  state(): [string, ApiKeyRecord][]
}

const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/** API keys, kept as digests. Valid until revoked. */
export function createApiKeys(kept: [string, ApiKeyRecord][] = []): ApiKeys {
  const byDigest = new Map<string, ApiKeyRecord>(kept)
  return {
    create(name, userId, username, createdAt) {
      const key = `sk_sandbox_${randomBytes(24).toString('hex')}`
      const record = { id: randomUUID(), name, user_id: userId, username, created_at: createdAt }
      byDigest.set(digestOf(key), record)
      return { ...record, key }
    },
    list: () => [...byDigest.values()],
    revoke(id) {
      for (const [digest, record] of byDigest) if (record.id === id) return byDigest.delete(digest)
      return false
    },
    read: (key) => byDigest.get(digestOf(key))?.user_id ?? null,
    state: () => [...byDigest],
  }
}
