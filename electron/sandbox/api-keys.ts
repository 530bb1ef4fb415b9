import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** A listed API key. The key itself is shown once, at creation. */
export interface ApiKeyRecord {
  id: string
  name: string
  user_id: string
  username: string
  created_at: string
}

export type ApiKeys = ReturnType<typeof createApiKeys>

const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/** API keys, kept as digests. Valid until revoked. */
export function createApiKeys(kept: [string, ApiKeyRecord][] = []) {
  const byDigest = new Map<string, ApiKeyRecord>(kept)
  return {
    create(
      name: string,
      userId: string,
      username: string,
      createdAt: string,
    ): ApiKeyRecord & { key: string } {
      const key = `sk_sandbox_${randomBytes(24).toString('hex')}`
      const record = { id: randomUUID(), name, user_id: userId, username, created_at: createdAt }
      byDigest.set(digestOf(key), record)
      return { ...record, key }
    },
    list: () => [...byDigest.values()],
    /** False if no such key exists. */
    revoke(id: string): boolean {
      for (const [digest, record] of byDigest) if (record.id === id) return byDigest.delete(digest)
      return false
    },
    /** The user whose permissions the key has, null when unknown or revoked. */
    read: (key: string) => byDigest.get(digestOf(key))?.user_id ?? null,
    /** `[digest, record]`, for the state file. */
    state: () => [...byDigest],
  }
}
