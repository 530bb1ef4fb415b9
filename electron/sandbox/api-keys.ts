import { createHash, randomBytes, randomUUID } from 'node:crypto'

interface ApiKeyRecord {
  id: string
  userId: string
}

export type ApiKeys = ReturnType<typeof createApiKeys>

const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/** API keys, kept as digests. Valid until revoked. `kept`: what `state` gave. */
export function createApiKeys(kept: [digest: string, ApiKeyRecord][] = []) {
  const byDigest = new Map<string, ApiKeyRecord>(kept)
  return {
    create(userId: string): { id: string; key: string } {
      const id = randomUUID()
      const key = `sk_sandbox_${randomBytes(24).toString('hex')}`
      byDigest.set(digestOf(key), { id, userId })
      return { id, key }
    },
    /** False if no such key exists. */
    revoke(id: string): boolean {
      for (const [digest, record] of byDigest) if (record.id === id) return byDigest.delete(digest)
      return false
    },
    /** The user whose permissions the key has, null when unknown or revoked. */
    read: (key: string) => byDigest.get(digestOf(key))?.userId ?? null,
    state: () => [...byDigest],
  }
}
