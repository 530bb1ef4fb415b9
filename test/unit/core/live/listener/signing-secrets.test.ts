import { expect, test } from 'vitest'
import { createSigningSecrets } from '#electron/core/live/listener/signing-secrets.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

type Parts = Parameters<typeof createSigningSecrets>[0]

test('reports a secret of an earlier start as missing until it is given again, added or removed', async () => {
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
      clock: createFakeClock(),
      onChange: () => Promise.resolve(),
    })
    await secrets.load()
    return secrets
  }
  const shown = (secrets: Awaited<ReturnType<typeof start>>) => ({
    active: secrets.active().map(({ value }) => value),
    listed: secrets.view().map(({ label, value }) => [label, value]),
    missing: secrets.missing().length,
  })
  const isLost = { active: [], listed: [['At the start', 'lost']], missing: 1 }
  expect(shown(await start('one'))).toEqual({ active: ['one'], listed: [], missing: 0 })
  expect(JSON.stringify(stored)).not.toContain('one')
  expect(shown(await start(null))).toEqual(isLost)
  expect(shown(await start('two'))).toEqual({ active: ['two'], listed: [], missing: 0 })
  const without = await start(null)
  expect(shown(without)).toEqual(isLost)
  await without.add({ label: 'At the start', value: 'three' })
  expect(shown(without)).toEqual({ active: ['three'], listed: [['At the start', 'known']], missing: 0 })
})
