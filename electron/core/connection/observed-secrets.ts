import type { SecretsState, SecretStore } from '../ports.ts'

/** A secret store that reports each state of the keychain. */
export function observeSecrets(store: SecretStore, onState: (state: SecretsState) => void): SecretStore {
  const report = (state: SecretsState) => {
    onState(state)
    return state
  }
  return {
    probe: async () => report(await store.probe()),
    state: async () => report(await store.state()),
    async get(account) {
      try {
        return await store.get(account)
      } finally {
        report(await store.state())
      }
    },
    set: async (account, value) => report(await store.set(account, value)),
    async delete(account) {
      const result = await store.delete(account)
      if (!result.removed) report(result.state)
      return result
    },
    unsaved: () => store.unsaved(),
  }
}
