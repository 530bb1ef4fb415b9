import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
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

/** Requests built by hand, without code of the sandbox or the console. */
export interface Raw {
  sandbox: Sandbox
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  remove(path: string, headers?: Record<string, string>): Promise<Answer>
}

export async function request(
  sandbox: Sandbox,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const response = await fetch(sandbox.baseUrl + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  let read: unknown = text
  if (response.headers.get('content-type')?.startsWith('application/json') && text !== '')
    read = JSON.parse(text)
  return { status: response.status, headers: response.headers, body: read }
}

/** A sandbox on a free port without rate limit, stopped when the test ends. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({
    rateLimitPerMinute: null,
    traffic: false,
    contactsCount: 20,
    dncCount: 45,
    ratePerSecond: 2,
    ...options,
  })
  onTestFinished(() => sandbox.stop())
  return sandbox
}

/** Signs in and returns calls that carry the access token. */
export async function signIn(
  sandbox: Sandbox,
  username = sandbox.tenants[0]!.username,
): Promise<Raw & { accessToken: string; refreshToken: string }> {
  const user = sandbox.tenants.flatMap((tenant) => tenant.users).find((known) => known.username === username)!
  const login = await request(
    sandbox,
    'POST',
    '/auth/login',
    { 'Content-Type': 'application/json' },
    JSON.stringify({ username, password: user.password }),
  )
  const accessToken = login.body.access_token as string
  return {
    ...rawWith(sandbox, { Authorization: `Bearer ${accessToken}` }),
    accessToken,
    refreshToken: login.body.refresh_token,
  }
}

/** Calls with the given headers. */
export function rawWith(sandbox: Sandbox, credential: Record<string, string>): Raw {
  return {
    sandbox,
    get: (path, headers) => request(sandbox, 'GET', path, { ...credential, ...headers }),
    post: (path, body, headers) =>
      request(
        sandbox,
        'POST',
        path,
        { ...credential, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        body === undefined ? undefined : JSON.stringify(body),
      ),
    remove: (path, headers) => request(sandbox, 'DELETE', path, { ...credential, ...headers }),
  }
}

/** A received webhook. */
export interface Received {
  headers: Record<string, string | string[] | undefined>
  raw: Buffer
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json: any
}

/** A webhook receiver that answers with `answer`. Null keeps the sender waiting until `later` is called. */
export async function startReceiver(
  answer: (count: number, later: (status: number) => void) => number | null = () => 200,
) {
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
      const status = answer(received.length, (code) => res.writeHead(code).end())
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

/** Waits for something that the network brings; fails after five seconds. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  const deadline = performance.now() + 5_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
