import { expect, test } from 'vitest'
import { pageOfLink } from '#electron/core/connection/desktop/links.ts'

test.each([
  ['switchboard://overview', '/overview'],
  ['switchboard://events?number=%2B4915112345678', '/events?number=%2B4915112345678'],
  ['switchboard://contacts/?text=Ada+L%C3%B6w', '/contacts?text=Ada+L%C3%B6w'],
  ['switchboard://settings?section=listener', '/settings?section=listener'],
])('opens %s', (link, page) => {
  expect(pageOfLink(link)).toBe(page)
})

test.each([
  ['another scheme', 'https://events'],
  ['an unlisted page', 'switchboard://connect?id=c-1'],
  ['the name of an object property', 'switchboard://constructor'],
  ['a path below a page', 'switchboard://events/../settings'],
  ['no page', 'switchboard://'],
  ['an opaque address', 'switchboard:events'],
  ['an unlisted parameter', 'switchboard://events?action=export'],
  ['a parameter of another page', 'switchboard://overview?text=x'],
  ['a parameter given twice', 'switchboard://events?number=1&number=2'],
  ['a user name', 'switchboard://admin@events'],
  ['a port', 'switchboard://events:80'],
  ['a fragment', 'switchboard://events#token=x'],
  ['a control character', 'switchboard://contacts?text=a%0Ab'],
  ['a text direction character', 'switchboard://contacts?text=a%E2%80%AEb'],
  ['an overlong value', `switchboard://contacts?text=${'x'.repeat(201)}`],
  ['an overlong length', `switchboard://contacts?text=x${'&'.repeat(2_000)}`],
  ['invalid syntax', 'switchboard://%'],
])('ignores a link with %s', (_what, link) => {
  expect(pageOfLink(link)).toBeNull()
})
