import { expect, test } from 'vitest'
import { createSigningSecrets } from '#electron/core/live/listener/signing-secrets.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

type Parts = Parameters<typeof createSigningSecrets>[0]

/** Starts of one listener, which share its settings and the keychain. */
function listenerSecrets() {
  const clock = createFakeClock()
  let stored = { config: { address: '127.0.0.1' }, secrets: [] } as unknown as ReturnType<
    Parts['settings']['read']
  >
  const kept = new Map<string, string>()
  async function start(value: string | null) {
    const secrets = createSigningSecrets({
      connectionId: 'c',
      settings: { read: () => stored, write: (next) => void (stored = next) },
      secrets: {
        get: (account: string) => Promise.resolve(kept.get(account) ?? null),
        set: (account: string, given: string) => Promise.resolve(void kept.set(account, given)),
        unsaved: () => Promise.resolve([]),
      } as unknown as Parts['secrets'],
      startSecrets: value === null ? [] : [{ label: 'At the start', value }],
      forgetSecret: () => Promise.resolve(),
      clock,
      onChange: () => Promise.resolve(),
    })
    await secrets.load()
    return secrets
  }
  return { start, clock, stored: () => stored }
}

test('reports a secret of an earlier start as missing until it is given again, added or removed', async () => {
  const { start, stored } = listenerSecrets()
  const shown = (secrets: Awaited<ReturnType<typeof start>>) => ({
    active: secrets.active().map(({ value }) => value),
    listed: secrets.view().map(({ label, value }) => [label, value]),
    missing: secrets.missing().length,
  })
  const isLost = { active: [], listed: [['At the start', 'lost']], missing: 1 }
  expect(shown(await start('one'))).toEqual({ active: ['one'], listed: [], missing: 0 })
  expect(JSON.stringify(stored())).not.toContain('one')
  expect(shown(await start(null))).toEqual(isLost)
  expect(shown(await start('two'))).toEqual({ active: ['two'], listed: [], missing: 0 })
  const without = await start(null)
  expect(shown(without)).toEqual(isLost)
  await without.add({ label: 'At the start', value: 'three' })
  expect(shown(without)).toEqual({ active: ['three'], listed: [['At the start', 'known']], missing: 0 })
})

test('retires the old secrets after the hours that a new one leaves them, or sooner if an earlier one said so', async () => {
  const { start, clock } = listenerSecrets()
  const secrets = await start(null)
  const active = () => secrets.active().map(({ value }) => value)
  await secrets.add({ label: 'first', value: 'one' })
  await secrets.add({ label: 'second', value: 'two', retireOthersAfterHours: 1 })
  await secrets.add({ label: 'third', value: 'three', retireOthersAfterHours: 24 })
  clock.jumpWall(3_599_999)
  expect(active()).toEqual(['one', 'two', 'three'])
  clock.jumpWall(1)
  expect(active()).toEqual(['two', 'three'])
  clock.jumpWall(23 * 3_600_000)
  expect(active()).toEqual(['three'])
})
