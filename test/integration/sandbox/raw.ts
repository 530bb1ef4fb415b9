import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type Sandbox, type SandboxOptions, createSandbox } from '#electron/sandbox/create-sandbox.ts'

export type { Sandbox } from '#electron/sandbox/create-sandbox.ts'

/** An answer as received, with its JSON parsed if it is JSON. */
export interface Answer {
  status: number
  headers: Headers
  // Each test says what it expects.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any
}

/** A well-formed ID without a record. */
export const unknownId = '11111111-1111-4111-8111-111111111111'

/** A refusal in the service's form. */
export const refusal = (status: number) => ({ status, body: { error: expect.any(String) } })

const open = (options: SandboxOptions) =>
  createSandbox({
    rateLimitPerMinute: null,
    traffic: false,
    contactsCount: 20,
    dncCount: 45,
    ratePerSecond: 2,
    ...options,
  })

/** A sandbox on a free port without rate limit, stopped when the test ends. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await open(options)
  onTestFinished(() => sandbox.stop())
  return sandbox
}

/** Requests built by hand, without code of the sandbox or the console. */
export function rawWith({ baseUrl }: Pick<Sandbox, 'baseUrl'>, credential: Record<string, string>) {
  async function send(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    contentType = 'application/json',
  ): Promise<Answer> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...credential, ...(body === undefined ? {} : { 'Content-Type': contentType }) },
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  return {
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown) =>
      send('POST', path, body === undefined ? undefined : JSON.stringify(body)),
    remove: (path: string) => send('DELETE', path),
  }
}

/** Calls with a bearer token. */
export const withToken = (sandbox: Sandbox, token: string) =>
  rawWith(sandbox, { Authorization: `Bearer ${token}` })

/** Signs in and returns calls that carry the access token. */
export async function signIn(sandbox: Sandbox, username = sandbox.tenants[0]!.username) {
  const user = sandbox.tenants.flatMap((tenant) => tenant.users).find((known) => known.username === username)!
  const { body } = await rawWith(sandbox, {}).post('/auth/login', { username, password: user.password })
  const accessToken = body.access_token as string
  const refreshToken = body.refresh_token as string
  return { ...withToken(sandbox, accessToken), sandbox, accessToken, refreshToken }
}

export type Raw = Awaited<ReturnType<typeof signIn>>

/** Signed in at one sandbox for the tests of a file, which don't disturb each other. */
export function sharedSandbox(): Raw {
  const raw = {} as Raw
  beforeAll(async () => void Object.assign(raw, await signIn(await open({}))))
  afterAll(() => raw.sandbox.stop())
  return raw
}

const textForms = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/,
  phone: /^\+[1-9]\d{6,14}$/,
}

function formOf(value: unknown): string {
  if (typeof value === 'string')
    return Object.entries(textForms).find(([, form]) => form.test(value))?.[0] ?? 'string'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

const optionalFields = ['started_at', 'completed_at', 'sent_at', 'delivered_at']

/** Checks that a record has exactly the fields of an example, each of its form: an ID, a time, a whole number … */
export function expectRecord(record: Record<string, unknown>, example: Record<string, unknown>) {
  const expected = Object.entries(example)
    .filter(([name]) => name in record || !optionalFields.includes(name))
    .map(([name, value]) => [name, formOf(value)])
  const found = expected.map(([name, form]) => {
    const is = formOf(record[name!])
    const isWithin = (form === 'string' && is in textForms) || (form === 'number' && is === 'integer')
    return [name, isWithin ? form : is]
  })
  expect(found).toEqual(expected)
  expect(Object.keys(record).filter((name) => !(name in example))).toEqual([])
}

/** A received webhook. */
export interface Received {
  headers: Record<string, string | string[] | undefined>
  raw: Buffer
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json: any
}

/** A webhook receiver that answers with `answer`. Null keeps the sender waiting. */
export async function startReceiver(answer: (count: number) => number | null = () => 200) {
  const received: Received[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const raw = Buffer.concat(chunks)
      let json: unknown
      try {
        json = JSON.parse(raw.toString())
      } catch {
        json = undefined
      }
      received.push({ headers: req.headers, raw, json })
      const status = answer(received.length)
      if (status !== null) res.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

/** Waits for something that the network brings. */
export const until = (condition: () => boolean, message = 'the condition') =>
  expect.poll(condition, { timeout: 5_000, interval: 5, message }).toBe(true)
