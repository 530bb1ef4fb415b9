import { afterEach, describe, expect, test } from 'vitest'
import { createKeychain } from '#electron/hosts/keychain/create-keychain.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { createFakeKeychain } from './fake-keychain.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

function setup(partLimitBytes?: number) {
  const clock = createFakeClock()
  const fake = createFakeKeychain(partLimitBytes)
  const entries: LogEntry[] = []
  const open = () => {
    const keychain = createKeychain({
      spawn: fake.spawn,
      service: 'test',
      clock,
      log: createLog((entry) => entries.push(entry), 'keychain'),
      ...(partLimitBytes === undefined ? {} : { partLimitBytes }),
    })
    stops.push(keychain.stop)
    return keychain
  }
  return { clock, fake, entries, open, keychain: open() }
}

const memory = (code: string) => expect.objectContaining({ kind: 'memory', code })
const rejection = (code: string) => expect.objectContaining({ name: 'AppError', code })

describe('a usable keychain', () => {
  test('keeps a value for the next run and forgets it when deleted', async () => {
    const { keychain, open } = setup()
    expect(await keychain.set('token', 'värde 🔑')).toEqual({ kind: 'keychain' })
    expect(await open().get('token')).toBe('värde 🔑')
    for (const _again of [1, 2]) expect(await keychain.delete('token')).toEqual({ removed: true })
    expect(await open().get('token')).toBeNull()
  })

  test('starts one process, and only when first asked, whose probe leaves nothing behind', async () => {
    const { keychain, fake } = setup()
    expect(fake.spawned).toBe(0)
    expect(await keychain.probe()).toEqual({ kind: 'keychain' })
    expect([fake.requests.map(({ op }) => op), fake.entries.size]).toEqual([['probe'], 0])
    await Promise.all([keychain.set('a', '1'), keychain.set('b', '2'), keychain.get('a')])
    expect(fake.spawned).toBe(1)
  })
})

describe('a locked keychain', () => {
  test('never passes for "nothing stored"', async () => {
    const { keychain, fake } = setup()
    await keychain.set('token', 'stored')
    fake.mode = 'locked'
    await expect(keychain.get('token')).rejects.toEqual(rejection('KEYCHAIN_LOCKED'))
    await expect(keychain.get('never-set')).rejects.toEqual(rejection('KEYCHAIN_LOCKED'))
    expect(await keychain.state()).toEqual(memory('KEYCHAIN_LOCKED'))
  })

  test('keeps a new value in memory and stores it once a probe finds it unlocked', async () => {
    const { keychain, fake, open } = setup()
    fake.mode = 'locked'
    expect(await keychain.set('token', 'new')).toEqual(memory('KEYCHAIN_LOCKED'))
    expect(await keychain.get('token')).toBe('new')
    await keychain.delete('other')
    expect([fake.entries.size, await keychain.unsaved()]).toEqual([0, ['token']])
    fake.mode = 'usable'
    expect(await keychain.probe()).toEqual({ kind: 'keychain' })
    expect(await keychain.unsaved()).toEqual([])
    expect(await open().get('token')).toBe('new')
  })

  test('prefers a value in memory over an older stored one', async () => {
    const { keychain, fake } = setup()
    await keychain.set('token', 'old')
    fake.mode = 'locked'
    await keychain.set('token', 'new')
    fake.mode = 'usable'
    expect(await keychain.get('token')).toBe('new')
  })

  test('does not claim a failed deletion, never undoes it by a read, and retries it', async () => {
    const { keychain, fake } = setup()
    await keychain.set('token', 'stored')
    fake.mode = 'locked'
    expect(await keychain.delete('token')).toEqual({ removed: false, state: memory('KEYCHAIN_LOCKED') })
    expect(await keychain.get('token')).toBeNull()
    fake.mode = 'usable'
    expect(fake.entries.size).toBe(1)
    expect(await keychain.get('token')).toBeNull()
    expect(await keychain.delete('token')).toEqual({ removed: true })
    expect(fake.entries.size).toBe(0)
  })

  test('stores everything pending after any success', async () => {
    const { keychain, fake } = setup()
    await keychain.set('gone', 'x')
    fake.mode = 'locked'
    await Promise.all([keychain.set('a', '1'), keychain.set('b', '2'), keychain.delete('gone')])
    fake.mode = 'usable'
    await keychain.set('c', '3')
    await keychain.stop()
    expect([...fake.entries.keys()].sort()).toEqual(['test/a', 'test/b', 'test/c'])
  })

  test('stores the other values when one is refused', async () => {
    const { keychain, fake } = setup()
    fake.mode = 'locked'
    await keychain.set('odd', '1')
    await keychain.set('good', '2')
    fake.mode = 'usable'
    fake.refusedAccount = 'odd'
    expect(await keychain.probe()).toEqual({
      kind: 'memory',
      code: 'KEYCHAIN_FAILED',
      detail: 'Not this one',
    })
    expect(fake.entries).toEqual(new Map([['test/good', '2']]))
    expect(await keychain.get('odd')).toBe('1')
  })

  test('applies the last of racing writes and deletions', async () => {
    const { keychain, fake } = setup()
    await Promise.all([keychain.set('token', '1'), keychain.delete('token'), keychain.set('token', '2')])
    expect(fake.entries).toEqual(new Map([['test/token', '2']]))
    await Promise.all([keychain.set('token', '3'), keychain.delete('token')])
    expect(fake.entries.size).toBe(0)
  })
})

test('keeps a value written while an older one is being stored', async () => {
  const { keychain, fake } = setup()
  const first = keychain.set('token', '1')
  while (fake.requests.length === 0) await Promise.resolve()
  await Promise.all([first, keychain.set('token', '2')])
  expect(fake.entries).toEqual(new Map([['test/token', '2']]))
})

describe('a keychain that does not answer', () => {
  test('answers all waiting callers within 3 seconds', async () => {
    const { keychain, fake, clock } = setup()
    fake.mode = 'hung'
    const calls = Promise.all([
      keychain.probe(),
      keychain.set('a', '1'),
      keychain.delete('b'),
      keychain.get('c').catch((error: unknown) => error),
    ])
    await clock.advance(2_999)
    expect(fake.alive).toBe(1)
    await clock.advance(1)
    expect(await calls).toEqual([
      memory('KEYCHAIN_TIMEOUT'),
      memory('KEYCHAIN_TIMEOUT'),
      { removed: false, state: memory('KEYCHAIN_TIMEOUT') },
      rejection('KEYCHAIN_TIMEOUT'),
    ])
    expect(fake.alive).toBe(0)
  })

  test('is retried with a new process by the next call', async () => {
    const { keychain, fake, clock } = setup()
    fake.mode = 'hung'
    const first = keychain.set('a', '1')
    await clock.advance(3_000)
    expect(await first).toEqual(memory('KEYCHAIN_TIMEOUT'))
    fake.mode = 'usable'
    expect(await keychain.probe()).toEqual({ kind: 'keychain' })
    expect(fake.spawned).toBe(2)
    expect(fake.entries).toEqual(new Map([['test/a', '1']]))
    expect(clock.pending()).toBe(0)
  })
})

describe('a keychain process that ends', () => {
  test('is restarted once within the same call, unnoticed', async () => {
    const { keychain, fake } = setup()
    fake.crashNext = 1
    expect(await keychain.set('a', '1')).toEqual({ kind: 'keychain' })
    expect(fake.spawned).toBe(2)
  })

  test.each([
    ['crashes', 2],
    ['unstartable', 0],
  ] as const)('reports one that %s again in one call, and keeps the value', async (mode, spawned) => {
    const { keychain, fake } = setup()
    fake.mode = mode
    expect(await keychain.set('a', '1')).toEqual(memory('KEYCHAIN_CRASHED'))
    expect(fake.spawned).toBe(spawned)
    expect(await keychain.get('a')).toBe('1')
  })

  test('replaces an older process that fails after a daemon restart within the same call', async () => {
    const { keychain, fake } = setup()
    await keychain.set('a', '1')
    fake.staleBefore = 2
    expect(await keychain.get('a')).toBe('1')
    expect(fake.spawned).toBe(2)
    expect(await keychain.state()).toEqual({ kind: 'keychain' })
  })

  test('finishes a running write before the process ends at a stop', async () => {
    const { keychain, fake } = setup()
    const set = keychain.set('a', '1')
    await keychain.stop()
    expect(await set).toEqual({ kind: 'keychain' })
    expect(fake.alive).toBe(0)
    await expect(keychain.get('a')).rejects.toEqual(rejection('KEYCHAIN_CRASHED'))
  })
})

describe('values', () => {
  test.each([
    ['empty', ''],
    ['with a NUL', 'a\0b'],
    ['with a line break', 'pasted\n'],
    ['with half a character', '\ud83d'],
    ['over 1 MiB', 'x'.repeat(1_048_577)],
  ])('refuses %s without a keychain call', async (_name, value) => {
    const { keychain, fake } = setup()
    await expect(keychain.set('a', value)).rejects.toEqual(rejection('SECRET_INVALID'))
    expect(fake.spawned).toBe(0)
  })

  test('detects a keychain that accepts a value and drops it', async () => {
    const { keychain, fake } = setup()
    fake.dropsSets = true
    expect(await keychain.set('a', '1')).toEqual(memory('KEYCHAIN_FAILED'))
    expect(await keychain.get('a')).toBe('1')
  })

  test.each(['', '#canary', 'a#b', 'a\0', 'x'.repeat(201)])('refuses account name %j', async (account) => {
    await expect(setup().keychain.get(account)).rejects.toThrow(TypeError)
  })

  test('never reach the log', async () => {
    const { keychain, fake, entries, clock } = setup()
    for (const mode of ['usable', 'locked', 'crashes', 'hung'] as const) {
      fake.mode = mode
      const done = Promise.allSettled([
        keychain.set('a', 'hush-hush'),
        keychain.delete('a'),
        keychain.probe(),
      ])
      await clock.advance(9_000)
      await done
    }
    expect(entries.length).toBeGreaterThan(3)
    expect(JSON.stringify(entries)).not.toContain('hush-hush')
  })
})

describe('where one account takes 2,560 bytes (Windows)', () => {
  const limit = 2_560
  const long = (seed: string) => `${seed}🔑`.repeat(1_500)

  test('spreads a longer value over numbered accounts and reads it back', async () => {
    const { keychain, fake, open } = setup(limit)
    const value = long('a')
    expect(await keychain.set('token', value)).toEqual({ kind: 'keychain' })
    expect(fake.entries.size).toBe(4)
    expect(
      Math.max(...[...fake.entries.values()].map((part) => Buffer.byteLength(part))),
    ).toBeLessThanOrEqual(limit)
    expect(await open().get('token')).toBe(value)
  })

  test.each([
    ['shorter', 'short'],
    ['longer', long('bcd')],
    ['that looks like a directory of parts', 'switchboard-parts:a:1:00'],
  ])('leaves no part behind when replaced by a %s value', async (_name, next) => {
    const { keychain, fake } = setup(limit)
    await keychain.set('token', long('a'))
    await keychain.set('token', next)
    expect(await keychain.get('token')).toBe(next)
    const alone = setup(limit)
    await alone.keychain.set('token', next)
    expect(fake.entries.size).toBe(alone.fake.entries.size)
    expect(await keychain.delete('token')).toEqual({ removed: true })
    expect(fake.entries.size).toBe(0)
  })

  test('keeps the old value after a crash during replacement', async () => {
    const { keychain, fake, open } = setup(limit)
    await keychain.set('token', long('a'))
    fake.refusedAccount = 'token#a2'
    await keychain.set('token', long('b'))
    expect(await open().get('token')).toBe(long('a'))
    fake.refusedAccount = ''
    const second = open()
    await second.set('token', long('cdef'))
    expect(await open().get('token')).toBe(long('cdef'))
    await second.delete('token')
    expect(fake.entries.size).toBe(0)
  })

  test('reports a value with a missing or wrong part', async () => {
    const { keychain, fake } = setup(limit)
    await keychain.set('token', long('a'))
    fake.entries.set('test/token#b2', 'strange')
    await expect(keychain.get('token')).rejects.toEqual(rejection('KEYCHAIN_FAILED'))
    fake.entries.delete('test/token#b2')
    await expect(keychain.get('token')).rejects.toEqual(rejection('KEYCHAIN_FAILED'))
  })
})
