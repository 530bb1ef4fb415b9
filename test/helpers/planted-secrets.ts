import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#contract/contract.ts'
import { createSandbox } from '#electron/sandbox/create-sandbox.ts'

/** Those that the service gets; the webhook secret stays here. */
export const sentSecrets = ['accessToken', 'apiKey', 'password', 'refreshToken', 'relayToken']

const marked = (name: string) => `planted-${name}-${randomBytes(12).toString('hex')}`

/** A service with marked secrets: the sandbox behind a proxy that exchanges them for its real ones. */
export interface MarkedService {
  baseUrl: string
  username: string
  secrets: Record<
    'password' | 'accessToken' | 'refreshToken' | 'apiKey' | 'webhookSecret' | 'relayToken',
    string
  >
  /** Names of the secrets that reached the service. */
  arrived: Set<string>
  stop(): Promise<void>
}

/** Refuses one access token to force a refresh, and echoes the credential in one error, as careless services do. */
export async function startMarkedService(): Promise<MarkedService> {
  const sandbox = await createSandbox({ ratePerSecond: 0, rateLimitPerMinute: null })
  const { username, password } = sandbox.tenants[0]!
  const secrets = {
    password: marked('password'),
    accessToken: marked('access-token'),
    refreshToken: marked('refresh-token'),
    apiKey: marked('api-key'),
    webhookSecret: marked('webhook-secret'),
    relayToken: marked('relay-token'),
  }
  const real = new Map<string, string>([
    [secrets.password, password],
    [secrets.apiKey, sandbox.createApiKey(username).key],
  ])
  const arrived = new Set<string>()
  let refusals = 1
  let echoes = 1

  /** The text with every marked secret exchanged for its real one. */
  function unmark(text: string): string {
    for (const [name, value] of Object.entries(secrets)) if (text.includes(value)) arrived.add(name)
    return [...real].reduce((done, [mark, value]) => done.replaceAll(mark, value), text)
  }

  function mark(answer: string): string {
    const body = JSON.parse(answer) as { access_token?: string; refresh_token?: string }
    if (body.access_token !== undefined) {
      real.set(secrets.accessToken, body.access_token)
      body.access_token = secrets.accessToken
    }
    if (body.refresh_token !== undefined) {
      real.set(secrets.refreshToken, body.refresh_token)
      body.refresh_token = secrets.refreshToken
    }
    return JSON.stringify(body)
  }

  async function forward(request: IncomingMessage): Promise<{ status: number; body: string }> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = unmark(Buffer.concat(chunks).toString())
    const credential = request.headers.authorization ?? String(request.headers['x-api-key'] ?? '')
    const isAuth = request.url!.includes('/auth/')
    const headers = {
      'content-type': 'application/json',
      ...(request.headers.authorization ? { authorization: unmark(request.headers.authorization) } : {}),
      ...(request.headers['x-api-key'] ? { 'x-api-key': unmark(String(request.headers['x-api-key'])) } : {}),
    }
    if (!isAuth && credential.includes(secrets.accessToken)) {
      if (refusals-- > 0) return { status: 401, body: '{"error":"token expired"}' }
      if (echoes-- > 0) return { status: 500, body: JSON.stringify({ error: `no answer for ${credential}` }) }
    }
    const answer = await fetch(`${new URL(sandbox.baseUrl).origin}${request.url!}`, {
      method: request.method!,
      headers,
      ...(body === '' ? {} : { body }),
    })
    const text = await answer.text()
    return { status: answer.status, body: isAuth && answer.ok ? mark(text) : text }
  }

  const server = createServer((request, response) => {
    forward(request).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      () => response.destroy(),
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { pathname } = new URL(sandbox.baseUrl)
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    username,
    secrets,
    arrived,
    async stop() {
      server.closeAllConnections()
      server.close()
      await sandbox.stop()
    },
  }
}

/** Further steps after a typed sign-in: a webhook secret, a relay that refuses its token, reads that refresh the token and fail once, a sign-in by API key. */
export async function useSecrets(
  rpc: Pick<ContractRouterClient<Contract>, 'listener' | 'overview' | 'webhooks' | 'connections'>,
  { baseUrl, secrets }: Pick<MarkedService, 'baseUrl' | 'secrets'>,
): Promise<void> {
  await rpc.listener.addSecret({ label: 'Planted', value: secrets.webhookSecret })
  const relay = { mode: 'both' as const, url: new URL(baseUrl).origin, inbox: 'main' }
  await rpc.listener.setRelay({ ...relay, token: secrets.relayToken })
  while ((await rpc.listener.get()).status.relay?.state !== 'refused')
    await new Promise((resolve) => setTimeout(resolve, 20))
  await rpc.overview.get()
  await rpc.webhooks.list()
  await rpc.connections.connect({
    name: 'By key',
    baseUrl,
    colour: 'green',
    production: false,
    credential: { kind: 'api-key', apiKey: secrets.apiKey },
  })
  await rpc.overview.get()
}

/** A secret in every likely form: plain, as UTF-16 (Chromium's databases), percent-encoded, and in base64 at any offset. */
function spellings(secret: string): Buffer[] {
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64')
    // The first and last characters depend on the text around the secret.
    return text.slice(4, -4)
  })
  return [secret, encodeURIComponent(secret), ...inBase64]
    .map((text) => Buffer.from(text))
    .concat(Buffer.from(secret, 'utf16le'))
}

/** Where secrets are written: `name in place`. Places are texts by name, and every file below `folders`. */
export function findSecrets(
  secrets: Readonly<Record<string, string>>,
  folders: readonly string[],
  texts: Readonly<Record<string, string>>,
): string[] {
  const places = new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      try {
        if (entry.isFile()) places.set(path, readFileSync(path))
      } catch {
        // A running program also deletes files.
      }
    }
  }
  return Object.entries(secrets).flatMap(([name, secret]) =>
    [...places]
      .filter(([, bytes]) => spellings(secret).some((spelling) => bytes.includes(spelling)))
      .map(([place]) => `${name} in ${place}`),
  )
}
