import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { forbiddenSwitch, forbidNavigation } from '#electron/hosts/electron/security/app.ts'
import { restrictPermissions, restrictRequests } from '#electron/hosts/electron/security/session.ts'

/** The unsafe switch of a command line; Chromium's own switches have no value here. */
const forbiddenIn = (line: string) => {
  const argv = line.split(' ')
  const hasSwitch = (name: string) => argv.some((each) => each.split('=')[0] === `--${name}`)
  return forbiddenSwitch({ commandLine: { hasSwitch } as never }, argv)
}

test.each([
  ['--remote-debugging-port=0', '--remote-debugging-port'],
  ['--remote-debugging-pipe', '--remote-debugging-pipe'],
  ['--js-flags=--expose-gc', '--js-flags'],
  ['--inspect', '--inspect'],
  ['--inspect-brk=0', '--inspect-brk'],
  ['-inspect=1', '-inspect'],
  ['--debug-port=1', '--debug-port'],
  ['--no-sandbox --inspect', '--inspect'],
  ['--no-sandbox', '--no-sandbox'],
  ['--inspected people.csv --lang=es', null],
])('refuses a package started with %s', (line, found) => {
  expect(forbiddenIn(line)).toBe(found)
})

/** A session whose handlers a test asks as Electron does. */
function restricted() {
  const handlers: Record<string, (...args: unknown[]) => unknown> = {}
  const keep = (name: string) => (handler: (...args: unknown[]) => unknown) => (handlers[name] = handler)
  const session = Object.assign(new EventEmitter(), {
    setPermissionRequestHandler: keep('request'),
    setPermissionCheckHandler: keep('check'),
    setDevicePermissionHandler: keep('device'),
    setDisplayMediaRequestHandler: keep('screen'),
    setSpellCheckerEnabled: vi.fn(),
    webRequest: { onBeforeRequest: keep('before') },
  })
  return { session, handlers }
}

test.each([
  ['clipboard-sanitized-write', true],
  ['clipboard-read', false],
  ['media', false],
  ['geolocation', false],
  ['notifications', false],
  ['openExternal', false],
])('the permission %s is granted: %s', (permission, granted) => {
  const { session, handlers } = restricted()
  restrictPermissions(session as never)
  const answer = vi.fn()
  handlers['request']!(null, permission, answer)
  expect([handlers['check']!(null, permission), answer.mock.lastCall]).toEqual([granted, [granted]])
})

test('gives no device and no screen, and downloads no dictionary', () => {
  const { session, handlers } = restricted()
  restrictPermissions(session as never)
  const answer = vi.fn()
  handlers['screen']!({}, answer)
  expect([handlers['device']!({}), answer.mock.lastCall]).toEqual([false, [{}]])
  expect(session.setSpellCheckerEnabled).toHaveBeenCalledWith(false)
})

test.each([
  ['blob:app://console/4f1c', true],
  ['data:text/csv,a', false],
  ['https://example.org/a.csv', false],
  ['blob:https://example.org/4f1c', false],
  ['blob:app://console.example.org/4f1c', false],
  ['app://console/index.html', false],
])('saves only what the page itself generated: %s, %s', (url, isOwn) => {
  const { session } = restricted()
  restrictPermissions(session as never)
  const preventDefault = vi.fn()
  session.emit('will-download', { preventDefault }, { getURL: () => url })
  expect(preventDefault).toHaveBeenCalledTimes(isOwn ? 0 : 1)
})

test.each([
  ['app://console/assets/a.js', { packaged: true, unpackaged: true }],
  ['blob:app://console/4f1c', { packaged: true, unpackaged: true }],
  ['devtools://devtools/a.js', { packaged: false, unpackaged: true }],
  ['ws://127.0.0.1:5173/', { packaged: false, unpackaged: true }],
  ['ws://127.0.0.1:5174/', { packaged: false, unpackaged: false }],
  ['https://example.org/', { packaged: false, unpackaged: false }],
  ['app://console.evil/', { packaged: false, unpackaged: false }],
  ['file:///etc/passwd', { packaged: false, unpackaged: false }],
  ['not an address', { packaged: false, unpackaged: false }],
])('loads %s: %o', (url, expected) => {
  const load = (packaged: boolean) => {
    const { session, handlers } = restricted()
    restrictRequests(session as never, packaged, packaged ? null : new URL('http://127.0.0.1:5173/'))
    const answer = vi.fn()
    handlers['before']!({ url }, answer)
    return !(answer.mock.lastCall as [{ cancel: boolean }])[0].cancel
  }
  expect({ packaged: load(true), unpackaged: load(false) }).toEqual(expected)
})

test('refuses every way by which a page could leave or embed another', () => {
  const app = new EventEmitter()
  forbidNavigation(app as never)
  const contents = Object.assign(new EventEmitter(), { setWindowOpenHandler: vi.fn() })
  app.emit('web-contents-created', {}, contents)
  for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview']) {
    const preventDefault = vi.fn()
    contents.emit(name, { preventDefault })
    expect(preventDefault, name).toHaveBeenCalled()
  }
  const [decide] = contents.setWindowOpenHandler.mock.lastCall as [() => unknown]
  expect(decide()).toEqual({ action: 'deny' })
})
