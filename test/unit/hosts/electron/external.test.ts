import { expect, test } from 'vitest'
import { isSafeExternalUrl } from '#electron/hosts/electron/external.ts'

const words = (text: string) => text.trim().split(/\s+/)

test.each(
  words(
    `https://github.com/ https://www.electronjs.org/docs https://www.sqlite.org/pragma.html?x#y https://GITHUB.com/`,
  ),
)('opens %s outside', (url) => {
  expect(isSafeExternalUrl(url)).toBe(true)
})

test.each([
  '',
  ...words(String.raw`
    github.com //github.com http://github.com/ https://github.com.evil.example/ https://evil.example/github.com
    https://github.com@evil.example/ https://user@github.com/ https://user:word@github.com/ https://github.com:8443/
    https://sub.github.com/ https://github.com./ https://gıthub.com/ https:\\evil.example javascript:alert(1) file:///etc/passwd
    smb://github.com/x ms-msdt:/id app://console/ data:text/html,x https://127.0.0.1/ ssh://github.com/`),
])('does not open %j', (url) => {
  expect(isSafeExternalUrl(url)).toBe(false)
})
