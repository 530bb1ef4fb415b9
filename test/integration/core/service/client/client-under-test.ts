import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { AppError, isAppError } from '#contract/errors.ts'
import { type CredentialSource, createApiKey } from '#electron/core/service/credentials/credentials.ts'
import {
  createServiceClient,
  type ServiceClient,
} from '#electron/core/service/client/create-service-client.ts'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import {
  createPasswordSession,
  type SavedSession,
} from '#electron/core/service/credentials/password-session.ts'
import { createServiceFetch, type ServiceFetch } from '#electron/core/service/client/service-fetch.ts'
import { createLog, type LogEntry } from '#electron/lib/log.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { createFakeClock, type FakeClock } from '../../../../helpers/fake-clock.ts'
import { type FixtureService, json, startFixtureService } from '../../../../helpers/fixture-service.ts'

export const operator = { lane: 'operator' as const }
export const bulk = { lane: 'bulk' as const }

type CallOptions = Parameters<ServiceClient['dashboard']['get']>[0]

export interface UnderTest {
  client: ServiceClient
  fixture: FixtureService
  clock: FakeClock
  credentials: CredentialSource
  saved: (SavedSession | null)[]
  /** The reports of the network observer, in order. */
  observed: string[]
  logged: LogEntry[]
  /** The least a read and a write need. */
  read(more?: Partial<CallOptions>): ReturnType<ServiceClient['dashboard']['get']>
  write(more?: Partial<CallOptions>): ReturnType<ServiceClient['contacts']['create']>
  login(password?: string): Promise<unknown>
  /** Advances fake time by `stepMs` per real millisecond until the promise settles, while real answers travel. */
  settled<T>(promise: Promise<T>, stepMs?: number): Promise<T>
  /** Makes saving the session fail, as a locked keychain does. */
  failSaving(isFailing: boolean): void
  stop(): Promise<void>
}

/** A client with a fake clock and, unless it has another base URL, a fixture service on a real socket. */
export async function startClient(
  options: {
    credential?: 'api-key' | 'password' | { apiKey: string } | { saved: SavedSession }
    fieldNames?: typeof defaultFieldNames
    fetch?: ServiceFetch['fetch']
    baseUrl?: string
    clock?: FakeClock
  } = {},
): Promise<UnderTest> {
  const fixture = await startFixtureService()
  const { credential = 'api-key', clock = createFakeClock() } = options
  const logged: LogEntry[] = []
  const log = createLog((entry) => logged.push(entry), 'test', clock.now)
  const saved: (SavedSession | null)[] = []
  const observed: string[] = []
  let isSavingBroken = false
  const given = credential === 'api-key' ? { apiKey: 'key-SECRET-1' } : credential
  const credentials =
    typeof given === 'object' && 'apiKey' in given
      ? createApiKey(given)
      : createPasswordSession({
          clock,
          log,
          save: async (session) => {
            if (isSavingBroken) throw new AppError('KEYCHAIN_LOCKED')
            saved.push(session)
          },
          saved: typeof given === 'object' ? given.saved : null,
        })
  const direct = createServiceFetch({ resolveProxies: () => Promise.resolve([null]), log })
  const client = createServiceClient({
    baseUrl: options.baseUrl ?? fixture.baseUrl,
    credentials,
    clock,
    random: seededRandom(7),
    fieldNames: () => options.fieldNames ?? defaultFieldNames,
    log,
    observe: {
      answered: () => observed.push('answered'),
      serverFailed: ({ code }) => observed.push(code),
      failed: ({ code }) => observed.push(code),
    },
    fetch: options.fetch ?? direct.fetch,
  })
  return {
    client,
    fixture,
    clock,
    credentials,
    saved,
    observed,
    logged,
    read: (more) => client.dashboard.get({ ...operator, ...more }),
    write: (more) =>
      client.contacts.create({ name: '', phone: '+49', email: '', tags: {} }, { ...bulk, ...more }),
    login: (password = 'pw') => client.auth.login({ username: 'ada', password }, operator),
    async settled(promise, stepMs = 25) {
      let isDone = false
      promise.then(
        () => (isDone = true),
        () => (isDone = true),
      )
      while (!isDone) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        if (!isDone) await clock.advance(stepMs)
      }
      return promise
    },
    failSaving: (isFailing) => void (isSavingBroken = isFailing),
    async stop() {
      client.close()
      await direct.close()
      await fixture.stop()
    },
  }
}

/** The AppError of a rejected promise; fails on anything else. */
export async function errorOf(promise: Promise<unknown>): Promise<AppError> {
  try {
    const value = await promise
    throw new Error(`resolved with ${JSON.stringify(value)}`)
  } catch (error) {
    if (isAppError(error)) return error
    throw error
  }
}

/** The https address of a server that answers a connection with `answer`. */
export async function serverWithoutTls(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => answer(socket.on('error', () => {}).resume()))
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** Tokens as POST /auth/login returns them. */
export const loginAnswer = (access = 'access-SECRET-1', refresh = 'refresh-SECRET-1', expiresIn = 900) =>
  json(200, { access_token: access, refresh_token: refresh, expires_in: expiresIn })
