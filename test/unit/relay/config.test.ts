import { execFileSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '#electron/relay/config.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

const day = 86_400_000
const mebibyte = 1024 * 1024

function written(config: unknown, mode = 0o600): string {
  const file = join(tempFolder(), 'relay.json')
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
  chmodSync(file, mode)
  return file
}

const main = { name: 'main', path: '/webhooks' }
/** A config with the inbox `main`, changed. */
const inbox = (change: object) => ({ inboxes: [{ ...main, ...change }] })
const problem = (config: unknown, env: NodeJS.ProcessEnv = {}, mode?: number) => {
  try {
    readConfig({ config: written(config, mode), 'data-dir': '/data' }, env)
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`
  }
  return 'accepted'
}

describe('the config of a relay', () => {
  it('has one inbox without a file, at a port of its own, with its secret from the environment', () => {
    const env = { SWITCHBOARD_RELAY_SECRET: 's3cret' }
    const config = readConfig({ 'data-dir': '/data' }, env)
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8_788, dataDir: '/data', tls: null })
    expect(config.inboxes).toMatchObject([
      { name: 'main', path: '/webhooks', secrets: [{ value: 's3cret' }] },
    ])
    // Programs that the relay starts can't read it.
    expect(env).toEqual({})
  })

  it('takes a NATS store, and spills only with a data folder', () => {
    const file = written({ inboxes: [main], store: { url: 'nats://a:4222, tls://b:4222', caFile: 'ca.pem' } })
    const ca = join(dirname(file), 'ca.pem')
    expect(readConfig({ config: file }, {})).toMatchObject({
      dataDir: null,
      store: {
        servers: ['nats://a:4222', 'tls://b:4222'],
        tls: { caFile: ca },
        replicas: null,
        spill: false,
      },
    })
    expect(readConfig({ config: file, 'data-dir': '/data' }, {}).store).toMatchObject({ spill: true })
    expect(readConfig({ store: 'nats://c:4222' }, {}).store).toMatchObject({
      servers: ['nats://c:4222'],
      tls: null,
    })
    expect(() => readConfig({ store: 'http://c' }, {})).toThrow(/--store must be addresses such as/)
    expect(() => readConfig({ store: 'nats://me:secret@c' }, {})).toThrow(
      /^--store has a user name or password. Put "user:password" into a file/,
    )
  })

  it('keeps unsigned deliveries within narrower limits', () => {
    const signed = { ...main, secrets: [{ env: 'A' }] }
    const open = { name: 'open', path: '/open' }
    const file = written({ inboxes: [signed, open] })
    const { inboxes } = readConfig({ config: file, 'data-dir': '/data' }, { A: 'x' })
    const days = { ageMs: 14 * day, unreadAgeMs: 90 * day }
    expect(inboxes.map(({ keep, perSecond }) => ({ ...keep, perSecond }))).toEqual([
      { ...days, bytes: 1_024 * mebibyte, unreadBytes: 4_096 * mebibyte, perSecond: 2_000 },
      { ...days, bytes: 64 * mebibyte, unreadBytes: 64 * mebibyte, perSecond: 20 },
    ])
  })

  it('reads secrets from files beside it, without the line end', () => {
    const file = written({ dataDir: 'data', inboxes: [{ ...main, secrets: [{ file: 'secret.txt' }] }] })
    const secretFile = join(file, '..', 'secret.txt')
    writeFileSync(secretFile, 'from a file\n', { mode: 0o600 })
    expect(readConfig({ config: file }, {}).inboxes[0]!.secrets[0]!.value).toBe('from a file')
    expect(readConfig({ config: file }, {}).dataDir).toBe(join(file, '..', 'data'))
    chmodSync(secretFile, 0o644)
    expect(() => readConfig({ config: file }, {})).toThrow(
      /inboxes\[0\]\.secrets\[0\]: the secret file \S+ can be read by other users \(mode 644\)\. Run: chmod 600/,
    )
    // A pipe is refused before it is read: nobody writes to this one.
    rmSync(secretFile)
    execFileSync('mkfifo', ['-m', '640', secretFile])
    chmodSync(secretFile, 0o644)
    expect(() => readConfig({ config: file }, {})).toThrow(/can be read by other users \(mode 644\)/)
  })

  it.each([
    ['text that is no JSON', '{', /is not valid JSON .* Correct it/],
    ['no inbox', { inboxes: [] }, /relay\.json: inboxes must have at least one inbox\.\nCorrect it/],
    [
      'a missing path',
      inbox({ path: undefined }),
      /inboxes\[0\]\.path is missing or must be a text in quotes/,
    ],
    ['a path without a slash', inbox({ path: 'x' }), /inboxes\[0\]\.path must begin with "\/"/],
    ['a path of its own', inbox({ path: '/feed' }), /inboxes\[0\]\.path is \/feed, which the relay uses/],
    [
      'an unknown setting',
      inbox({ secret: 'x' }),
      /inboxes\[0\] has an unknown setting: secret\. .*guide\.md lists/,
    ],
    [
      'two inboxes at one path',
      { inboxes: [main, { ...main, name: 'b' }] },
      /inboxes\[1\] has the name or path of/,
    ],
    ['a secret without a place', inbox({ secrets: [{}] }), /secrets\[0\] must have either "file" or "env"/],
    ['an empty secret', inbox({ secrets: [{ env: 'BLANK' }] }), /the secret is empty/],
    [
      'a missing secret file',
      inbox({ secrets: [{ file: 'no' }] }),
      /can't be read \(ENOENT\)\. Check the path/,
    ],
    ['limits that contradict', inbox({ keep: { days: 10, unreadDays: 2 } }), /unread deliveries are below/],
  ])('names %s, where it is and what to do', (_what, config, expected) => {
    expect(problem(config, { BLANK: ' ' })).toMatch(/^UsageError: /)
    expect(problem(config, { BLANK: ' ' })).toMatch(expected)
  })

  it('refuses a file that others can change', () => {
    expect(problem({ inboxes: [main] }, {}, 0o664)).toMatch(
      /can be changed by other users \(mode 664\)\. Run: chmod go-w/,
    )
    expect(problem({ inboxes: [main] }, {}, 0o644)).toBe('accepted')
  })

  it('needs a data folder', () => {
    expect(() => readConfig({}, {})).toThrow(/needs a data folder\. Name one with --data-dir/)
  })

  it('never repeats a secret in an error', () => {
    const config = { inboxes: [{ ...main, secrets: [{ env: 'A' }], keep: { days: 10, unreadDays: 2 } }] }
    expect(problem(config, { A: 'planted-secret' })).not.toContain('planted-secret')
  })
})
