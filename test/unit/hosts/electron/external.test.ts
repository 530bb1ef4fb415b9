import { expect, test } from 'vitest'
import { isSafeExternalUrl } from '#electron/hosts/electron/external.ts'

const words = (text: string) => text.trim().split(/\s+/)

test.each(words('https://dashboard.example/login?x#y http://127.0.0.1:8080/ HTTPS://Dashboard.example'))(
  'opens %s outside',
  (url) => {
    expect(isSafeExternalUrl(url)).toBe(true)
  },
)

test.each([
  '',
  ...words(String.raw`
    dashboard.example //dashboard.example https://user@dashboard.example/ https://user:word@dashboard.example/
    https://dashboard.example@evil.example/ javascript:alert(1) file:///etc/passwd smb://dashboard.example/x ms-msdt:/id
    app://console/ data:text/html,x ssh://dashboard.example/`),
])('does not open %j', (url) => {
  expect(isSafeExternalUrl(url)).toBe(false)
})
