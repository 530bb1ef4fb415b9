import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { forbiddenSwitch, forbidNavigation } from '#electron/hosts/electron/security/app.ts'
import { isOwnDownload } from '#electron/hosts/electron/security/session.ts'

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

test.each([
  ['blob:app://console/4f1c', true],
  ['data:text/csv,a', false],
  ['https://example.org/a.csv', false],
  ['blob:https://example.org/4f1c', false],
  ['blob:app://console.example.org/4f1c', false],
  ['app://console/index.html', false],
])('saves only what the page itself generated: %s, %s', (url, isOwn) => {
  expect(isOwnDownload(url)).toBe(isOwn)
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
