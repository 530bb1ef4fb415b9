import { expect, test, vi } from 'vitest'
import { wholeEnvironment, withdrawSecrets } from '#electron/hosts/withdrawn-secrets.ts'

test('takes secrets out of the environment of children, and gives them to a new start of Switchboard', () => {
  vi.stubEnv('SWITCHBOARD_API_KEY', 'key-1')
  withdrawSecrets()
  expect(process.env).not.toHaveProperty('SWITCHBOARD_API_KEY')
  expect(wholeEnvironment()).toMatchObject({ SWITCHBOARD_API_KEY: 'key-1' })
})
