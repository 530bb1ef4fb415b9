import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { generate } from 'selfsigned'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createServiceFetch, type ServiceFetch } from '#electron/core/service/client/service-fetch.ts'
import { environmentProxy } from '#electron/hosts/settings.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { type ConnectProxy, startConnectProxy } from '../../../../helpers/connect-proxy.ts'
import { json } from '../../../../helpers/fixture-service.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { errorOf, startClient, type UnderTest } from './client-under-test.ts'
import * as records from '../../../../helpers/spec-records.ts'
import { freePort } from '../../../../helpers/ports.ts'

const password = 'proxy-PLANTED-1'
const baseUrl = 'https://service.example/v1'

let service: Server
let requests: string[] = []
let isSilent = false
let location: string | null = null
let authority: string
let proxy: ConnectProxy
let under: UnderTest
let outside: ServiceFetch
const logged: LogEntry[] = []

async function makeCertificates(): Promise<{ ca: string; key: string; cert: string }> {
  const ca = await generate([{ name: 'commonName', value: 'Private CA' }], {
    keySize: 2048,
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  })
  const leaf = await generate([{ name: 'commonName', value: 'service.example' }], {
    keySize: 2048,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'service.example' }] }],
  })
  return { ca: ca.cert, key: leaf.private, cert: leaf.cert }
}

function authorityFile(): string {
  const file = join(tempFolder(), 'authority.pem')
  writeFileSync(file, authority)
  return file
}

async function startBehind(proxies: (string | null)[], base: string | null = baseUrl): Promise<void> {
  outside = createServiceFetch({
    resolveProxies: () => Promise.resolve(proxies),
    log: createLog((entry) => logged.push(entry), 'service'),
  })
  under = await startClient({ fetch: outside.fetch, ...(base === null ? {} : { baseUrl: base }) })
}

beforeAll(async () => {
  const { ca, key, cert } = await makeCertificates()
  authority = ca
  service = createServer({ key, cert }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (isSilent) return
    if (location) return response.writeHead(302, { Location: location }).end()
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(records.dashboard))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => service.close(resolve)))
beforeEach(async () => {
  requests = []
  logged.length = 0
  proxy = await startConnectProxy((service.address() as AddressInfo).port)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await under.stop()
  await outside.close()
  await proxy.stop()
})

const shown = (error: unknown) => inspect([error, logged, under.logged], { depth: 12 })

describe('behind a proxy', () => {
  test('accepts a private authority’s certificate only with NODE_EXTRA_CA_CERTS', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '')
    await startBehind([`http://${proxy.host}`])
    const refused = await errorOf(under.settled(under.read()))
    expect(refused.code).toBe('SERVICE_TLS')
    expect(requests).toEqual([])
    await under.stop()
    await outside.close()

    vi.stubEnv('NODE_EXTRA_CA_CERTS', authorityFile())
    await startBehind([`http://operator:${password}@${proxy.host}`])
    await under.settled(under.read())
    expect(requests).toEqual(['GET /v1/dashboard'])
    expect(proxy.asked.at(-1)).toEqual({
      target: 'service.example:443',
      authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
    })
    expect(await outside.proxyHost(baseUrl)).toBe(proxy.host)
  })

  test('accepts a certificate of a system-trusted authority', async () => {
    await startBehind([`http://${proxy.host}`])
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, 'system-trust-process.ts'), `http://${proxy.host}`, `${baseUrl}/dashboard`],
      { env: { ...process.env, SSL_CERT_FILE: authorityFile(), NODE_EXTRA_CA_CERTS: '' } },
    )
    expect(stdout).toBe('200')
  })

  test.each([
    [403, 'PROXY_REFUSED', 1],
    [502, 'PROXY_REFUSED', 5],
    [407, 'PROXY_SIGN_IN', 1],
  ])('names a proxy that answers %i and counts nothing as sent', async (status, code, tries) => {
    await startBehind([`http://operator:${password}@${proxy.host}`])
    proxy.answer(status)
    const error = await errorOf(under.settled(under.write()))
    expect(error).toMatchObject({ code, data: { proxy: proxy.host, status, host: 'service.example' } })
    expect(error.message).toContain(proxy.host)
    expect(error.message).toContain('Nothing was sent')
    expect(proxy.asked).toHaveLength(tries)
    expect(requests).toEqual([])
    expect(shown(error)).not.toContain('PLANTED')
    expect(shown(error)).not.toContain(Buffer.from(`operator:${password}`).toString('base64'))
  })

  test('follows no redirect, which could leak the credential', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', authorityFile())
    await startBehind([`http://${proxy.host}`])
    location = `${baseUrl}/elsewhere`
    const error = await errorOf(under.settled(under.read()))
    location = null
    expect(error.code).toBe('SERVICE_REDIRECTED')
    expect(requests).toEqual(['GET /v1/dashboard'])
  })

  test('leaves a POST unconfirmed that the service doesn’t answer through the tunnel', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', authorityFile())
    await startBehind([`http://${proxy.host}`])
    isSilent = true
    const error = await errorOf(under.settled(under.write(), 500))
    isSilent = false
    expect(requests).toEqual(['POST /v1/contacts'])
    expect(error.code).toBe('OUTCOME_UNKNOWN')
  })

  test.each([
    ['an unreachable proxy', async () => `127.0.0.1:${await freePort()}`, true],
    ['an invalid URL, as an unreachable proxy', () => '[bad', false],
  ])('names %s without its credentials', async (_what, host, isNamed) => {
    const closed = await host()
    await startBehind([`http://operator:${password}@${closed}`])
    const error = await errorOf(under.settled(under.write()))
    expect(error).toMatchObject({ code: 'PROXY_UNREACHABLE', data: isNamed ? { proxy: closed } : {} })
    expect(shown(error)).not.toContain('PLANTED')
  })

  test('uses the next proxy when the first is unreachable', async () => {
    await startBehind([`http://127.0.0.1:${await freePort()}`, `http://${proxy.host}`])
    await under.settled(under.read())
    expect(requests).toEqual(['GET /v1/dashboard'])
  })

  test('connects to this computer directly', async () => {
    await startBehind([`http://${proxy.host}`], null)
    under.fixture.on('GET /dashboard', json(200, records.dashboard))
    await under.settled(under.read())
    expect(under.fixture.requests).toHaveLength(1)
    expect(proxy.asked).toEqual([])
    expect(await outside.proxyHost(under.fixture.baseUrl)).toBeNull()
  })
})

test('reads the environment’s proxy and its exceptions', async () => {
  await startBehind([null], null)
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy', 'HTTP_PROXY', 'ALL_PROXY'])
    vi.stubEnv(name, '')
  vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128')
  vi.stubEnv('NO_PROXY', 'internal.example,.corp.example')
  expect(environmentProxy('https://service.example')).toBe('http://proxy.example:3128')
  expect(environmentProxy('https://internal.example')).toBeNull()
  expect(environmentProxy('https://a.corp.example')).toBeNull()
  expect(environmentProxy('http://service.example')).toBeNull()
})
