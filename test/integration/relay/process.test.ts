import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dlr, sign, testSecret } from '../../helpers/listener.ts'
import { createReader, post, readFeed } from '../../helpers/relay.ts'
import { startHost } from '../../helpers/start-host.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

const launcher = join(import.meta.dirname, '../../../electron/hosts/start.mjs')
const relay = (...args: string[]) =>
  startHost({ file: launcher, args: ['relay', ...args], env: { RELAY_TEST_SECRET: testSecret } })

/** Runs a command to its end. */
async function run(...args: string[]) {
  const host = relay(...args)
  const { code } = await host.exit
  return { code, text: host.lines.join('\n') }
}

const ready = /"Relay ready","url":"(http:\/\/[^"]+)"/

describe('npm run relay', () => {
  it('takes webhooks, serves a console with a token, and stops in order', async () => {
    const folder = tempFolder()
    const dataDir = join(folder, 'data')
    mkdirSync(dataDir, { mode: 0o700 })
    const config = join(folder, 'relay.json')
    const inboxes = [{ name: 'main', path: '/hooks/main', secrets: [{ env: 'RELAY_TEST_SECRET' }] }]
    writeFileSync(config, JSON.stringify({ port: 0, dataDir: 'data', inboxes }), { mode: 0o600 })
    const host = relay('--config', config)
    const [, url] = await host.line(ready)
    const added = await run('token', 'add', 'ana', '--inbox', 'main', '--config', config)
    const token = /^swr_\S+/.exec(added.text)![0]
    const reader = createReader()
    const feed = readFeed({ url: url!, token }, reader)
    expect(await post(`${url}/hooks/main`, dlr('one'))).toBe(200)
    await feed.now(() => reader.deliveries.length === 1)

    expect((await run('token', 'list', '--config', config)).text).toMatch(/^ana +main +added [\d-]+$/)
    expect((await run('token', 'revoke', 'ana', '--config', config)).code).toBe(0)
    expect(await feed.state(({ kind }) => kind === 'refused')).toMatchObject({ reason: 'revoked' })

    expect((await run('--config', config)).code).toBe(3)
    await host.stop()
    const log = host.lines.join('\n')
    for (const line of host.lines.filter((text) => text !== ''))
      expect(() => void JSON.parse(line), line).not.toThrow()
    for (const secret of [testSecret, token, sign(dlr('one')), '+14155550123'])
      expect(log).not.toContain(secret)
    expect(log).toContain('"Stopped"')
  })

  it('says what is wrong with a command or a setting, and starts nothing', async () => {
    const dataDir = tempFolder()
    const problems = await Promise.all([
      run(),
      run('--data-dir', dataDir, '--port', 'x'),
      run('--data-dir', dataDir, '--speed', '9'),
      run('token', 'revoke', 'nobody', '--data-dir', dataDir),
      run('token', 'add', 'ana', '--data-dir', dataDir),
      run('tokens', '--data-dir', dataDir),
    ])
    expect(problems.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2])
    const expected = [
      /needs a data folder/,
      /--port must be a number from 0 to 65535, not "x"/,
      /Unknown option '--speed'/,
      /no token named "nobody"/,
      /Say what the token is for/,
      /no command "tokens"/,
    ]
    expected.forEach((pattern, at) => expect(problems[at]!.text).toMatch(pattern))
    expect((await run('--help')).text).toContain('token revoke NAME')
  })
})
