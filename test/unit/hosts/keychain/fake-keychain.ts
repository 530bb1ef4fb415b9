import type { KeychainAnswer, KeychainChannel, KeychainRequest } from '#electron/hosts/keychain/channel.ts'
import { createAnswerer } from '#electron/hosts/keychain/keychain-calls.ts'

type FakeMode = 'usable' | 'locked' | 'hung' | 'crashes' | 'unstartable'

/**
 * A keychain over an in-process channel: the real process's code with a map for entries, behaving as gnome-keyring was measured (locked:
 * null on get, false on delete, an error on set).
 */
export function createFakeKeychain(limitBytes = Infinity) {
  const entries = new Map<string, string>()
  const fake = {
    entries,
    mode: 'usable' as FakeMode,
    /** Processes started in total. */
    spawned: 0,
    /** Processes alive now. */
    alive: 0,
    /** Every request to a process, in order. */
    requests: [] as KeychainRequest[],
    /** Crash this many of the next requests, then behave. */
    crashNext: 0,
    /** Fail processes started before this count, as keytar does after a restart of the daemon. */
    staleBefore: 0,
    /** Swallow the result of setPassword, as keytar does with a dismissed prompt. */
    dropsSets: false,
    refusedAccount: '',
    spawn,
  }

  const keytar = (serial: number) => {
    const check = () => {
      if (serial < fake.staleBefore) throw new Error('The session wrapping the secret does not exist')
    }
    const key = (service: string, account: string) => `${service}/${account}`
    return {
      async getPassword(service: string, account: string) {
        check()
        return fake.mode === 'locked' ? null : (entries.get(key(service, account)) ?? null)
      },
      async setPassword(service: string, account: string, value: string) {
        check()
        if (fake.mode === 'locked') throw new Error('Cannot create an item in a locked collection')
        if (Buffer.byteLength(value) > limitBytes) throw new Error('The stub received bad data.')
        if (account === fake.refusedAccount) throw new Error('Not this one')
        if (!fake.dropsSets) entries.set(key(service, account), value)
      },
      async deletePassword(service: string, account: string) {
        check()
        return fake.mode === 'locked' ? false : entries.delete(key(service, account))
      },
    }
  }

  function spawn(): KeychainChannel {
    if (fake.mode === 'unstartable') throw new Error('EAGAIN')
    const serial = ++fake.spawned
    fake.alive++
    const answer = createAnswerer(() => keytar(serial))
    let onMessage: (message: KeychainAnswer) => void = () => {}
    let onExit = () => {}
    let isAlive = true
    const exit = () => {
      if (!isAlive) return
      isAlive = false
      fake.alive--
      setImmediate(onExit)
    }
    return {
      post(message) {
        if (!isAlive) throw new Error('channel closed')
        fake.requests.push(message)
        if (fake.mode === 'hung') return
        if (fake.mode === 'crashes' || fake.crashNext-- > 0) return exit()
        void answer(structuredClone(message)).then((reply) => isAlive && onMessage(structuredClone(reply)))
      },
      onMessage: (callback) => (onMessage = callback),
      onExit: (callback) => (onExit = callback),
      kill: exit,
    }
  }
  return fake
}
