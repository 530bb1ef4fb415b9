import { randomUUID } from 'node:crypto'
import type { KeychainAnswer, KeychainRequest } from './channel.ts'

/** The three calls of keytar that are used. Its listing calls crash the process on a locked keyring. */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

/** Longest text of the keychain that is passed on, characters. Its real ones are under 200. */
const textLimit = 300

async function store(keytar: Keytar, service: string, account: string, value: string): Promise<void> {
  await keytar.setPassword(service, account, value)
  // keytar drops the result flag of libsecret, and cuts values at NUL: only reading back proves a set.
  if ((await keytar.getPassword(service, account)) !== value)
    throw new Error('It accepted a value but did not give it back')
}

async function ask(keytar: Keytar, request: KeychainRequest): Promise<string | boolean | null> {
  const { service, account } = request
  switch (request.op) {
    case 'get':
      return keytar.getPassword(service, account)
    case 'set':
      await store(keytar, service, account, request.value)
      return null
    case 'delete':
      await keytar.deletePassword(service, account)
      return (await keytar.getPassword(service, account)) === null
    case 'probe':
      await store(keytar, service, account, randomUUID())
      if (!(await keytar.deletePassword(service, account))) throw new Error('It did not delete a value')
      return null
  }
}

/**
 * What the keychain process does with a request: loads keytar at the first one (and again at the next if that
 * failed, so an installed library is found without a restart), then runs one call after the other.
 * Four hung calls of keytar would block every thread of libuv's pool, hence never two at once.
 */
export function createAnswerer(
  loadKeytar: () => Keytar,
): (request: KeychainRequest) => Promise<KeychainAnswer> {
  let keytar: Keytar | null = null
  let last: Promise<unknown> = Promise.resolve()
  const answer = async (request: KeychainRequest): Promise<KeychainAnswer> => {
    try {
      keytar ??= loadKeytar()
      return { id: request.id, ok: true, value: await ask(keytar, request) }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      return { id: request.id, ok: false, text: text.slice(0, textLimit) }
    }
  }
  return (request) => {
    const next = last.then(() => answer(request))
    last = next
    return next
  }
}
