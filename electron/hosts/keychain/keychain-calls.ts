import { randomUUID } from 'node:crypto'
import { createSerial } from '../../lib/serial.ts'
import type { KeychainAnswer, KeychainRequest } from './channel.ts'

/** The keytar calls used. Its listing calls crash on a locked keyring. */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

/** Most characters of a keychain message. Real ones are under 200. */
const textLimit = 300

async function store(keytar: Keytar, service: string, account: string, value: string): Promise<void> {
  await keytar.setPassword(service, account, value)
  // keytar ignores libsecret's result and cuts values at NUL, so only reading back proves a write.
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
 * Answers requests one at a time: four hung calls of keytar would block libuv's thread pool. Loads keytar at
 * the first request and retries if that failed, so an installed library is found without a restart.
 */
export function createAnswerer(
  loadKeytar: () => Keytar,
): (request: KeychainRequest) => Promise<KeychainAnswer> {
  let keytar: Keytar | null = null
  const serial = createSerial()
  const answer = async (request: KeychainRequest): Promise<KeychainAnswer> => {
    try {
      keytar ??= loadKeytar()
      return { id: request.id, ok: true, value: await ask(keytar, request) }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      return { id: request.id, ok: false, text: text.slice(0, textLimit) }
    }
  }
  return (request) => serial(() => answer(request))
}
