import { expect, test } from 'vitest'
import type { ConnectionsRepository } from '#electron/core/connection/connections.repository.ts'
import { createSavedSecrets } from '#electron/core/connection/saved-secrets.ts'
import { errorText } from '#contract/errors.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { fakeSecrets } from '../../../helpers/start-core.ts'

test('does not read a secret that waits for its removal from the keychain', async () => {
  const secrets = fakeSecrets()
  const waiting = new Set<string>()
  const repository = {
    tombstones: () => [...waiting],
    addTombstone: (account: string) => void waiting.add(account),
    removeTombstone: (account: string) => void waiting.delete(account),
  } as Partial<ConnectionsRepository> as ConnectionsRepository
  const savedSecrets = createSavedSecrets(secrets, repository, quietLog)
  await savedSecrets.saveApiKey('c', 'the key')
  expect(await savedSecrets.apiKey('c')).toBe('the key')

  secrets.delete = () =>
    Promise.resolve({
      removed: false,
      state: {
        kind: 'memory',
        code: 'KEYCHAIN_NO_BUS',
        detail: 'Cannot autolaunch D-Bus without X11 $DISPLAY',
      },
    })
  const problem = (await savedSecrets.forgetSignIn('c'))!
  expect(errorText(problem.code, problem.data)).toContain('has your sign-in (no desktop session).')
  expect(await savedSecrets.apiKey('c')).toBeNull()
  await savedSecrets.saveApiKey('c', 'a new key')
  expect(await savedSecrets.apiKey('c')).toBe('a new key')
})
