import type { SecretsState, SecretStore } from '../ports.ts'

/** A secret store that reports each state of the keychain. */
export function observeSecrets(store: SecretStore, onState: (state: SecretsState) => void): SecretStore {
  const told = (state: SecretsState) => {
    onState(state)
    return state
  }
  return {
    probe: async () => told(await store.probe()),
    state: async () => told(await store.state()),
    async get(account) {
      try {
        return await store.get(account)
      } finally {
        told(await store.state())
      }
    },
    set: async (account, value) => told(await store.set(account, value)),
    async delete(account) {
      const result = await store.delete(account)
      if (!result.removed) told(result.state)
      return result
    },
  }
}
