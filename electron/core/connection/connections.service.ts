import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import {
  type ConnectInput,
  type Connection,
  type SecretsView,
  unansweredCodes,
} from '../../contract/connection/connections.ts'
import type { ErrorView } from '../../contract/define.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import type { ListenerMove } from '../../contract/live/listener.ts'
import type { Log } from '../../lib/log.ts'
import { createSerial } from '../../lib/serial.ts'
import type { ListenerView } from '../live/listener/listener.service.ts'
import { listenerSecretAccounts } from '../live/listener/listener-settings.ts'
import type { Ports, SandboxAccess } from '../ports.ts'
import { viewOf } from '../platform/rpc/errors.ts'
import { parseBaseUrl } from '../service/client/base-url.ts'
import type { SettingsRepository } from '../platform/settings/settings.repository.ts'
import { connectionDir } from './connection-files.ts'
import type { OpenConnection } from './open-connection.ts'
import type { OpenConnections } from './open-connections.ts'
import type { ConnectionsRepository } from './connections.repository.ts'
import type { KeptSecrets } from './kept-secrets.ts'
import { createSandboxAdmin } from '../service/client/sandbox-admin.ts'
import type { createSignIns, SignIn } from './sign-in.ts'

type Opened = { connection: Connection; secrets: SecretsView }
type Outcome = { problem: ErrorView | null }

/** The saved connections, all live at the same time, and the one in front. Changes run one after another. */
export interface ConnectionsService {
  /** The connection in front, which the window looks at. */
  active(): OpenConnection | null
  list(): Promise<{ connections: Connection[]; activeId: string | null; secrets: SecretsView }>
  /** `signal` cancels the sign-in. */
  connect(input: ConnectInput, signal?: AbortSignal): Promise<Opened>
  openSandbox(): Promise<Opened>
  /** Brings a saved connection to the front. At once if it is open. */
  open(id: string): Promise<Opened>
  openByName(name: string): Promise<Opened>
  /** Opens the last used connection, if any. */
  openLast(): Promise<void>
  /** Opens the signed-in connections that are kept live in the background, one after the other. Never rejects. */
  openOthers(): Promise<void>
  /** Whether a connection stays live behind another one. Opens or closes it accordingly. */
  setBackground(input: { id: string; background: boolean }): Promise<void>
  /** A connection whose API key comes from the command line and isn't saved. */
  openUnattended(input: {
    baseUrl: string
    apiKey: string
    webhookSecret?: string | undefined
  }): Promise<Opened>
  /** Saves a restored connection, under a free name. Doesn't open it. */
  adopt(connection: Omit<Connection, 'lastUsedAt'>): Promise<Connection>
  update(input: Pick<Connection, 'id' | 'name' | 'colour' | 'production'>): Promise<Connection>
  signOut(id: string): Promise<Outcome>
  remove(input: { id: string; confirmName?: string | undefined }): Promise<Outcome>
  retryKeychain(): Promise<SecretsView>
  /** Moves a connection's listener. An address or port applies to all connections. NO_CONNECTION if it isn't open. */
  moveListener(id: string, move: ListenerMove): Promise<ListenerView>
  /** API keys of the sandbox. INVALID_INPUT unless the sandbox is open. */
  sandboxKeys(): ReturnType<typeof createSandboxAdmin>
  /** Closes all connections. */
  stop(): Promise<void>
}

const sandboxId = 'sandbox'

export function createConnectionsService(parts: {
  ports: Ports
  repository: ConnectionsRepository
  kept: KeptSecrets
  signIns: ReturnType<typeof createSignIns>
  settingsRepository: SettingsRepository
  open: OpenConnections
  log: Log
  onRemoved: (id: string) => void
  onChange: () => void
}): ConnectionsService {
  const { ports, repository, kept, signIns, open, log } = parts
  const serial = createSerial()
  /** A sign-in that waits for the service must not delay the exit. */
  const stopping = new AbortController()

  /** Opens it in front and closes the one before if that is not kept live. */
  async function activate(
    connection: Connection,
    signIn: SignIn,
    startSecrets: { label: string; value: string }[] = [],
  ): Promise<Opened> {
    await open.open(connection, signIn, { inFront: true, startSecrets })
    await open.closeUnkept()
    return { connection, secrets: await kept.view() }
  }

  function find(id: string): Connection {
    const connection = repository.find(id)
    if (!connection) throw new AppError('NOT_FOUND', { what: { key: 'what.connection' } })
    return connection
  }

  /**
   * The new or changed connection with a client. An existing one keeps its data only for the same user of the same
   * service.
   */
  function prepare(input: ConnectInput): { draft: Omit<Connection, 'lastUsedAt'>; signIn: SignIn } {
    const { credential } = input
    const existing = input.id === undefined ? undefined : find(input.id)
    const { url } = parseBaseUrl(input.baseUrl, input.allowPlainHttp ? [hostnameOf(input.baseUrl)] : [])
    const username = credential.kind === 'password' ? credential.username : null
    if (
      existing &&
      (existing.kind === 'sandbox' || existing.baseUrl !== url || existing.username !== username)
    ) {
      throw new AppError('INVALID_INPUT', {
        detail: { key: 'input.otherSignIn', name: existing.name },
      })
    }
    const taken = repository.findByName(input.name)
    if (taken && taken.id !== existing?.id) throw new AppError('NAME_TAKEN', { name: input.name })
    const draft = {
      id: existing?.id ?? randomUUID(),
      name: input.name,
      baseUrl: url,
      kind: existing?.kind ?? ('service' as const),
      colour: input.colour,
      production: input.production,
      credentialKind: credential.kind,
      username,
      allowPlainHttp: input.allowPlainHttp,
    }
    const signIn =
      credential.kind === 'password'
        ? signIns.forPassword(draft)
        : signIns.forApiKey(draft, credential.apiKey, true)
    return { draft, signIn }
  }

  async function connect(input: ConnectInput, signal: AbortSignal): Promise<Opened> {
    const { draft, signIn } = prepare(input)
    let unanswered: AppError | null = null
    try {
      await prove(signIn, input, signal)
    } catch (error) {
      if (!input.evenOffline || !isAppError(error, ...unansweredCodes)) {
        signIn.client.close()
        throw error
      }
      unanswered = error
    }
    open.find(draft.id)?.detachSignIn()
    const connection = repository.save(draft)
    const isKept = unanswered === null || input.credential.kind === 'api-key'
    if (isKept) await signIn.keepSaved()
    else signIn.client.close()
    const opened = await activate(connection, isKept ? signIn : await signIns.fromSaved(connection))
    // The sign-in already showed whether the service answers.
    const network = open.find(connection.id)?.network
    if (network?.state().reachable === null) {
      if (unanswered) network.failed(unanswered)
      else network.answered()
    }
    return opened
  }

  async function openSaved(connection: Connection): Promise<Opened> {
    if (connection.kind === 'sandbox') return openSandbox()
    return activate(connection, await signIns.fromSaved(connection))
  }

  /** The sandbox with a new sign-in: its sessions end with it. */
  async function signInToSandbox(access: SandboxAccess): Promise<{ connection: Connection; signIn: SignIn }> {
    const saved = repository.find(sandboxId)
    const draft = {
      id: sandboxId,
      name: saved?.name ?? freeName('Sandbox'),
      baseUrl: access.baseUrl,
      kind: 'sandbox' as const,
      colour: saved?.colour ?? ('teal' as const),
      production: saved?.production ?? false,
      credentialKind: 'password' as const,
      username: access.username,
      allowPlainHttp: false,
    }
    const signIn = signIns.forPassword(draft)
    try {
      const { username, password } = access
      await signIn.client.auth.login({ username, password }, { lane: 'operator' })
    } catch (error) {
      signIn.client.close()
      throw error
    }
    const connection = repository.save(draft)
    await signIn.keepSaved()
    return { connection, signIn }
  }

  async function openSandbox(): Promise<Opened> {
    const access = await ports.openSandbox()
    const current = open.find(sandboxId)
    if (
      current?.connection().baseUrl === access.baseUrl &&
      current.credentials.state().status === 'signed-in'
    ) {
      return toFront(current)
    }
    const { connection, signIn } = await signInToSandbox(access)
    return activate(connection, signIn)
  }

  async function toFront(current: OpenConnection): Promise<Opened> {
    const connection = current.connection()
    open.bringToFront(connection.id)
    // Not awaited: a long change may be under way.
    void serial(() => open.closeUnkept())
    return { connection, secrets: await kept.view() }
  }

  /** Opens it behind the front, unless it is signed out or not to be kept live. */
  async function openBehind(connection: Connection): Promise<void> {
    const { id } = connection
    if (open.find(id) || !open.isBackgroundOn(id)) return
    try {
      const saved = await signIns.fromSaved(connection)
      const isSignedOut = saved.credentials.state().status === 'signed-out' && saved.problem === null
      if (isSignedOut || connection.kind === 'sandbox') saved.client.close()
      if (isSignedOut) return
      if (connection.kind === 'sandbox') {
        const sandbox = await signInToSandbox(await ports.openSandbox())
        await open.open(sandbox.connection, sandbox.signIn, { inFront: false })
      } else await open.open(connection, saved, { inFront: false })
    } catch (error) {
      log.error('a connection did not open', { error })
      open.noteProblem(id, error)
    }
  }

  function freeName(wanted: string): string {
    let name = wanted
    for (let n = 2; repository.findByName(name); n++) name = `${wanted} ${n}`
    return name
  }

  /**
   * Logs out at the service, then forgets locally in any case. A keychain failure is reported before a failed logout.
   * Sandbox sessions end with the sandbox.
   */
  async function signOut(connection: Connection): Promise<AppError | null> {
    const current = open.find(connection.id)
    const signIn = current ?? (await signIns.fromSaved(connection))
    const unread = 'signInProblem' in signIn ? signIn.signInProblem : signIn.problem
    let mayGoOn = unread !== null && connection.credentialKind === 'password'
    try {
      if (signIn.credentials.state().status !== 'signed-out')
        mayGoOn = !(await signIn.client.auth.logout({ lane: 'operator' })).endedAtService
    } catch (error) {
      mayGoOn = !(isAppError(error) && error.data['endedAtService'] === true)
      log.info('sign-out incomplete', { error })
    }
    if (!current) signIn.client.close()
    await open.closeUnkept()
    const left = await kept.forgetSignIn(connection.id)
    if (left || !mayGoOn || connection.kind === 'sandbox') return left
    return new AppError('SIGN_OUT_NOT_TOLD', { host: signIn.client.host })
  }

  const outcome = (problem: AppError | null): Outcome => ({ problem: problem && viewOf(problem) })

  const sandboxKeys = createSandboxAdmin(() => ports.openSandbox())

  return {
    sandboxKeys() {
      if (open.front()?.connection().kind !== 'sandbox')
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.notSandbox' } })
      return sandboxKeys
    },
    active: open.front,
    list: async () => ({
      connections: repository.list(),
      activeId: open.front()?.connection().id ?? null,
      secrets: await kept.view(),
    }),
    connect: (input, signal) =>
      serial(() => connect(input, AbortSignal.any([stopping.signal, ...(signal ? [signal] : [])]))),
    openSandbox: () => serial(openSandbox),
    async open(id) {
      const current = open.find(id)
      if (current?.signInProblem === null) return toFront(current)
      return serial(async () => openSaved(find(id)))
    },
    openByName: (name) =>
      serial(async () => {
        const connection = repository.findByName(name)
        if (!connection) throw new AppError('NOT_FOUND', { what: { key: 'what.connectionNamed', name } })
        return openSaved(connection)
      }),
    openLast: () =>
      serial(async () => {
        const last = repository.list().find((connection) => connection.lastUsedAt !== null)
        if (last) await openSaved(last)
      }),
    async openOthers() {
      const others = repository.list().filter(({ id }) => !open.find(id) && open.isBackgroundOn(id))
      for (const { id } of others) open.setOpening(id, true)
      for (const { id } of others)
        await serial(async () => {
          const connection = repository.find(id)
          if (connection && !stopping.signal.aborted) await openBehind(connection)
          open.setOpening(id, false)
        })
    },
    setBackground: ({ id, background }) =>
      serial(async () => {
        const connection = find(id)
        open.setBackground(id, background)
        if (background) await openBehind(connection)
        else await open.closeUnkept()
        parts.onChange()
      }),
    openUnattended: ({ baseUrl, apiKey, webhookSecret }) =>
      serial(async () => {
        const { url, host } = parseBaseUrl(baseUrl)
        const id = `unattended-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`
        const saved = repository.find(id)
        const connection = repository.save({
          id,
          name: saved?.name ?? freeName(host),
          baseUrl: url,
          kind: 'service',
          colour: saved?.colour ?? 'grey',
          production: saved?.production ?? false,
          credentialKind: 'api-key',
          username: null,
          allowPlainHttp: false,
        })
        const startSecrets =
          webhookSecret === undefined ? [] : [{ label: 'SWITCHBOARD_WEBHOOK_SECRET', value: webhookSecret }]
        return activate(connection, signIns.forApiKey(connection, apiKey, false), startSecrets)
      }),
    adopt: (connection) =>
      serial(async () => {
        const saved = repository.save({ ...connection, name: freeName(connection.name) })
        parts.onChange()
        return saved
      }),
    update: (input) =>
      serial(async () => {
        const connection = repository.save({ ...find(input.id), ...input })
        open.find(connection.id)?.rename(connection)
        return connection
      }),
    signOut: (id) => serial(async () => outcome(await signOut(find(id)))),
    remove: ({ id, confirmName }) =>
      serial(async () => {
        const connection = find(id)
        if (connection.production && confirmName !== connection.name) {
          throw new AppError('CONFIRMATION_MISMATCH', { name: connection.name })
        }
        const problem = await signOut(connection)
        await open.close(id, 'closed')
        open.forget(id)
        for (const account of listenerSecretAccounts(parts.settingsRepository, id)) await kept.forget(account)
        parts.settingsRepository.removeAll(`connection/${id}/`)
        repository.remove(id)
        rmSync(connectionDir(ports.dataDir, id), { recursive: true, force: true })
        parts.onRemoved(id)
        parts.onChange()
        return outcome(problem)
      }),
    retryKeychain: () =>
      serial(async () => {
        const view = await kept.retry()
        if (view.kind === 'keychain') {
          for (const current of open.all()) {
            const connection = current.connection()
            if (current.signInProblem === null) await current.features.listener.reloadSecrets()
            else {
              const inFront = open.isFront(connection.id)
              await open.open(connection, await signIns.fromSaved(connection), { inFront })
            }
          }
        }
        parts.onChange()
        return view
      }),
    async moveListener(id, { replaceSubscriptions = false, ...config }) {
      const one = open.find(id)
      if (!one) throw new AppError('NO_CONNECTION')
      const before = one.features.listener.view().config
      const view = await one.features.webhooks.moveListener(config, replaceSubscriptions)
      if (before.port !== config.port || before.address !== config.address) {
        for (const other of open.all())
          if (other !== one) await other.features.webhooks.moveListener(null, replaceSubscriptions)
      }
      return view
    },
    stop() {
      stopping.abort(new AppError('SIGNED_OUT'))
      return serial(() => open.closeAll())
    },
  }
}

/** Tries a new credential: a login, or for an API key the cheapest call that needs one. */
async function prove({ client }: SignIn, { credential }: ConnectInput, signal: AbortSignal): Promise<void> {
  if (credential.kind === 'password') {
    const { username, password } = credential
    await client.auth.login({ username, password }, { lane: 'operator', signal })
    return
  }
  try {
    await client.dashboard.get({ lane: 'operator', signal })
  } catch (error) {
    // The service knows the key; it only lacks this permission.
    if (!isAppError(error, 'FORBIDDEN')) throw error
  }
}

const hostnameOf = (baseUrl: string) => URL.parse(baseUrl.trim())?.hostname ?? ''
