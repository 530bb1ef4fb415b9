import { expect, test } from 'vitest'
import type { ConnectionsRepository } from '#electron/core/connection/connections.repository.ts'
import { createKeptSecrets } from '#electron/core/connection/kept-secrets.ts'
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
  const kept = createKeptSecrets(secrets, repository, quietLog)
  await kept.saveApiKey('c', 'the key')
  expect(await kept.apiKey('c')).toBe('the key')

  secrets.delete = () =>
    Promise.resolve({
      removed: false,
      state: {
        kind: 'memory',
        code: 'KEYCHAIN_NO_BUS',
        detail: 'Cannot autolaunch D-Bus without X11 $DISPLAY',
      },
    })
  const problem = (await kept.forgetSignIn('c'))!
  expect(errorText(problem.code, problem.data)).toContain('has your sign-in (no desktop session).')
  expect(await kept.apiKey('c')).toBeNull()
  await kept.saveApiKey('c', 'a new key')
  expect(await kept.apiKey('c')).toBe('a new key')
})
