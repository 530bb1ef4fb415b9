import { expect, test } from 'vitest'
import { isLoopbackHost } from '#electron/lib/loopback.ts'
import { texts } from '../../helpers/texts.ts'

test.each(['127.0.0.1', '127.9.9.9', '127.255.255.255', '::1', '[::1]', 'localhost', 'LOCALHOST'])(
  '%s is this computer',
  (host) => {
    expect(isLoopbackHost(host)).toBe(true)
  },
)

test.each([
  ...texts(`
    0.0.0.0 | :: | 128.0.0.1 | 192.168.1.2 | 127.999.1.1 | 127.1 | 127.0.0.1.example
    127.evil.example | sandbox.localhost | localhost. | localhost.example | ::ffff:127.0.0.1`),
  '',
])('%j may be another computer', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})
