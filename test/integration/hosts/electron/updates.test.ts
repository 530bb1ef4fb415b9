import { AppImageUpdater } from 'electron-updater'
import { ElectronHttpExecutor } from 'electron-updater/out/electronHttpExecutor.js'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { followUpdates, mayUpdate, setFeed } from '#electron/hosts/electron/updates.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const newVersion = Buffer.from('the new AppImage')
const checkPeriodMs = 6 * 3_600_000
const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  vi.unstubAllEnvs()
})

/** A generic update server. `files` can change while it runs. */
async function startFeed(content = newVersion) {
  const sha512 = createHash('sha512').update(newVersion).digest('base64')
  const description = [
    'version: 0.2.0',
    'files:',
    `  - url: Switchboard.AppImage\n    sha512: ${sha512}\n    size: ${newVersion.length}`,
    "releaseDate: '2026-11-22T00:00:00.000Z'",
  ].join('\n')
  const server = createServer(({ url }, response) => {
    if (/^\/latest[^/]*\.yml/.test(url!)) response.end(description)
    else if (url!.includes('.AppImage')) response.end(content)
    else response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  stops.push(() => new Promise((done) => server.close(done).closeAllConnections()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/**
 * The real updater of an AppImage of version 0.1.0, without Electron around it. Without a `config` the package has no feed of its own.
 */
function follow(
  url: string,
  answer: boolean,
  { firstAnswer, config = '' }: { firstAnswer?: Error; config?: string } = {},
) {
  const folder = tempFolder()
  const appImage = join(folder, 'Installed.AppImage')
  writeFileSync(appImage, 'the old AppImage')
  vi.stubEnv('APPIMAGE', appImage)
  const configFile = join(folder, 'app-update.yml')
  if (config !== '') writeFileSync(configFile, config)
  const updater = new AppImageUpdater(null, {
    version: '0.1.0',
    name: 'Switchboard',
    isPackaged: true,
    appUpdateConfigPath: configFile,
    userDataPath: folder,
    baseCachePath: folder,
    whenReady: () => Promise.resolve(),
    relaunch: () => {},
    quit: () => {},
    onQuit: () => expect.unreachable('nothing may be installed on quit'),
  })
  const httpExecutor = new ElectronHttpExecutor()
  httpExecutor.createRequest = (options, callback) => request(options, callback) as never
  Object.assign(updater, { httpExecutor, disableDifferentialDownload: true })
  const dataDir = tempFolder()
  setFeed(updater, { feedUrl: url, dataDir, hasConfig: config !== '' })
  const clock = createFakeClock()
  const entries: LogEntry[] = []
  const confirmRestart = vi.fn(() => Promise.resolve(answer))
  if (firstAnswer) confirmRestart.mockRejectedValueOnce(firstAnswer)
  const restart = vi.fn()
  const log = createLog((entry) => entries.push(entry), 'updates')
  stops.push(followUpdates({ updater, confirmRestart, restart, clock, log }))
  return {
    clock,
    confirmRestart,
    restart,
    warnings: () => entries.filter(({ level }) => level === 'warn').map(({ message }) => message),
    errors: () => entries.filter(({ level }) => level === 'error').map(({ message }) => message),
    downloaded: (cache: string) => join(folder, cache, 'pending/Switchboard.AppImage'),
    installed: () => readFileSync(appImage, 'utf8'),
  }
}

test('downloads a newer version from a feed named at the start, and asks before restarting', async () => {
  const { confirmRestart, restart, downloaded, installed } = follow(await startFeed(), true)
  await expect.poll(() => restart.mock.calls.length).toBe(1)
  expect(confirmRestart).toHaveBeenCalledExactlyOnceWith('0.2.0')
  expect(readFileSync(downloaded('switchboard-updater'))).toEqual(newVersion)
  expect(installed()).toBe('the old AppImage')
})

test('installs nothing on “Later” and asks once per version', async () => {
  const { clock, confirmRestart, restart, installed, warnings } = follow(await startFeed(), false)
  await expect.poll(() => confirmRestart.mock.calls.length).toBe(1)
  await clock.advance(3 * checkPeriodMs)
  expect(confirmRestart).toHaveBeenCalledTimes(1)
  expect(restart).not.toHaveBeenCalled()
  expect(installed()).toBe('the old AppImage')
  expect(warnings()).toEqual([])
})

test('logs a question that fails, and asks again after the next check', async () => {
  const { clock, confirmRestart, restart, errors } = follow(await startFeed(), true, {
    firstAnswer: new Error('no window to ask in'),
  })
  await expect.poll(() => errors()).toEqual(['Could not offer an update'])
  expect(restart).not.toHaveBeenCalled()
  await clock.advance(checkPeriodMs)
  await expect.poll(() => restart.mock.calls.length).toBe(1)
  expect(confirmRestart).toHaveBeenCalledTimes(2)
})

test('drops a download with a wrong checksum', async () => {
  const { confirmRestart, downloaded, warnings } = follow(await startFeed(Buffer.from('tampered with')), true)
  await expect.poll(() => warnings().join()).toContain('sha512 checksum mismatch')
  expect(confirmRestart).not.toHaveBeenCalled()
  expect(existsSync(downloaded('switchboard-updater'))).toBe(false)
})

test('logs an empty feed and checks again after six hours', async () => {
  const { clock, warnings } = follow(`${await startFeed()}elsewhere/`, true)
  await expect.poll(() => warnings().join()).toContain('404')
  const before = warnings().length
  await clock.advance(checkPeriodMs)
  await expect.poll(() => warnings().length).toBeGreaterThan(before)
})

test('keeps the configuration of a package with a feed of its own', async () => {
  const { restart, downloaded } = follow(await startFeed(), true, { config: 'updaterCacheDirName: own' })
  await expect.poll(() => restart.mock.calls.length).toBe(1)
  expect(existsSync(downloaded('own'))).toBe(true)
})

const signed = 'provider: generic\nurl: https://own.example\npublisherName:\n  - Ada Ltd\n'
const unsigned = 'provider: generic\nurl: https://own.example\n'
const feedUrl = 'https://updates.example/switchboard'

test.each([
  ['yes', 'linux', feedUrl, null],
  ['yes', 'linux', undefined, unsigned],
  ['no feed', 'linux', undefined, null],
  ['no feed', 'linux', '', null],
  ['unsafe feed', 'linux', 'http://updates.example', unsigned],
  ['unsafe feed', 'linux', 'file:///tmp', null],
  ['unsafe feed', 'linux', 'updates.example', null],
  ['yes', 'win32', undefined, signed],
  ['yes', 'win32', feedUrl, 'publisherName: Ada Ltd\n'],
  ['no publisher', 'win32', undefined, unsigned],
  ['no publisher', 'win32', feedUrl, null],
  ['no publisher', 'win32', feedUrl, `publisherName:\n${unsigned}`],
  // The system checks the signature.
  ['yes', 'darwin', feedUrl, null],
] as const)('answers “%s” on %s for the feed %s and the package’s %j', (answer, platform, given, config) => {
  expect(mayUpdate({ platform, feedUrl: given, config })).toBe(answer)
})
