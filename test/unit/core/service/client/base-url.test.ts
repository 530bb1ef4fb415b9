import { describe, expect, test } from 'vitest'
import { isAppError } from '#contract/errors.ts'
import { parseBaseUrl } from '#electron/core/service/client/base-url.ts'

const codeOf = (text: string, allowed?: string[]) => {
  try {
    return parseBaseUrl(text, allowed).url
  } catch (error) {
    return isAppError(error) ? error.code : String(error)
  }
}

test.each([
  ['https://api.example.com/v1', 'https://api.example.com/v1'],
  ['  https://API.example.com/v1///  ', 'https://api.example.com/v1'],
  ['https://api.example.com:8443/a/b/v1', 'https://api.example.com:8443/a/b/v1'],
  ['https://api.example.com', 'https://api.example.com'],
  ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
  ['http://127.9.9.9/v1', 'http://127.9.9.9/v1'],
  ['http://localhost:3000/v1', 'http://localhost:3000/v1'],
  ['http://[::1]:3000/v1', 'http://[::1]:3000/v1'],
])('normalises %j to %s', (text, url) => {
  expect(codeOf(text)).toBe(url)
})

test.each([
  'http://api.example.com/v1',
  'http://10.0.0.5/v1',
  'http://192.168.1.1/v1',
  'http://0.0.0.0/v1',
  'http://127.0.0.1.example.com/v1',
  'http://localhost.example.com/v1',
  'http://sandbox.localhost/v1',
  'http://localhost./v1',
  'http://[::ffff:10.0.0.1]/v1',
])('%s would send secrets unencrypted', (text) => {
  expect(codeOf(text)).toBe('BASE_URL_NOT_HTTPS')
})

test.each([
  '',
  ' ',
  'api.example.com/v1',
  'ftp://api.example.com/v1',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://',
  'https://api.example.com/v1?key=1',
  'https://api.example.com/v1#x',
  'https://exa mple.com',
])('refuses %j as a Base URL', (text) => {
  expect(codeOf(text)).toBe('BASE_URL_INVALID')
})

describe('plain http, allowed by name', () => {
  test.each([['10.0.0.5'], ['10.0.0.5:8080'], [' 10.0.0.5 ']])('%s', (host) => {
    expect(codeOf('http://10.0.0.5:8080/v1', [host])).toBe('http://10.0.0.5:8080/v1')
  })

  test('does not extend to other hosts or ports', () => {
    expect(codeOf('http://10.0.0.6/v1', ['10.0.0.5'])).toBe('BASE_URL_NOT_HTTPS')
    expect(codeOf('http://10.0.0.5:81/v1', ['10.0.0.5:80'])).toBe('BASE_URL_NOT_HTTPS')
  })
})

test.each([
  ['https://ada:pw-SECRET@api.example.com/v1', 'BASE_URL_WITH_CREDENTIALS'],
  ['https://ada:pw-SECRET@exa mple/v1', 'BASE_URL_INVALID'],
])('refuses %s without repeating its password', (text, code) => {
  expect(() => parseBaseUrl(text)).toThrow(
    expect.objectContaining({ code, message: expect.not.stringContaining('SECRET') }),
  )
})
