import { homedir } from 'node:os'
import { englishText } from '#electron/contract/phrases.ts'
import { expect, test } from 'vitest'
import { shortened } from '#electron/core/connection/status/diagnostics.ts'
import { phoneOf } from '../../people/outbox/outbox-items.ts'
import { startOutbox } from '../../people/outbox/outbox-fixture.ts'

const signingSecret = 'signing-PLANTED-1'

test('reports every part without a secret, user or contact', async () => {
  const { rpc, running, add, service } = await startOutbox({ credential: 'password' })
  await rpc.listener.addSecret({ label: 'Label-PLANTED-2', value: signingSecret })
  await add(1)
  const { facts } = await rpc.settings.diagnostics()
  const byName = new Map(facts.map(({ name, value }) => [englishText(name), englishText(value)]))
  const { status } = await rpc.listener.get()
  expect(byName.get('Switchboard')).toBe('test')
  expect(byName.get('Service')).toBe(new URL(service.baseUrl).origin)
  expect(byName.get('Listener')).toBe('listening')
  expect(byName.get('Listener port')).toBe(new URL(status.url!).port)
  expect(byName.get('Sign-in')).toBe('password, signed in')
  expect(byName.get('Keychain')).toBe('available')
  expect(byName.get('Proxy')).toBe('none')
  expect(byName.get('Requests')).toMatch(/^[\d,]+ of [\d,]+ used, [\d,]+ left$/)
  for (const name of ['console.db', 'state.db', 'contacts.db', 'journal.db'])
    expect(byName.get(name), name).toMatch(/^[\d.]+ MiB, schema \d+, checked \d{4}-/)
  const text = JSON.stringify(facts)
  const planted = [
    signingSecret,
    'PLANTED',
    'ana',
    'Contact 0',
    phoneOf(0),
    '/webhooks',
    ...running.secrets.values.values(),
  ]
  for (const value of planted) expect(text.includes(value), value).toBe(false)
})

test('shortens only the home folder', () => {
  expect(shortened(`${homedir()}/data`)).toBe('~/data')
  expect(shortened('/home/ana', '/home/ana')).toBe('~')
  expect(shortened('/home/anabel/data', '/home/ana')).toBe('/home/anabel/data')
  expect(shortened('C:\\Users\\ana\\data', 'C:\\Users\\ana')).toBe('~\\data')
})
