import { checkConfirmed } from '../platform/confirm.ts'
import { createHash } from 'node:crypto'
import type {
  ConnectInput,
  Connection,
  connectionsContract,
  SecretsView,
} from '../../contract/connection/connections.ts'
import type { ErrorView, InputOf } from '../../contract/define.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import type { ListenerMove } from '../../contract/live/listener.ts'
import type { Log } from '../../lib/log.ts'
import { createSerial } from '../../lib/serial.ts'
import type { ListenerView } from '../live/listener/listener.service.ts'
import { listenerSecretAccounts } from '../live/listener/listener-settings.ts'
import { teamKeyAccount } from '../live/team/team.service.ts'
import { isPhoneRegion } from '../../lib/phone/parse-phone.ts'
import type { Ports } from '../ports.ts'
import { viewOf } from '../platform/rpc/errors.ts'
import { parseBaseUrl } from '../service/client/base-url.ts'
import { isApiKey } from '../service/credentials/credentials.ts'
import { settingKeysOf } from '../platform/settings/connection-settings.ts'
import type { SettingsRepository } from '../platform/settings/settings.repository.ts'
import type { RestoredState } from './backup/restored-state.ts'
import type { OpenConnection } from './open-connection.ts'
import type { OpenConnections } from './open-connections.ts'
import type { ConnectionsRepository } from './connections.repository.ts'
import type { RemovedFolders } from './removed-folders.ts'
import type { SavedSecrets } from './saved-secrets.ts'
import { type NewSignIns, proveSignIn, sandboxId } from './new-sign-ins.ts'
import { addSamples } from './sandbox-samples.ts'
import type { createSignIns, SignIn } from './sign-in.ts'

type Input<Name extends keyof typeof connectionsContract> = InputOf<typeof connectionsContract, Name>
type Opened = { connection: Connection; secrets: SecretsView }
type Outcome = { problem: ErrorView | null }

export type ConnectionsService = ReturnType<typeof createConnectionsService>

/** The saved connections, all live at once, and the one in front. Changes run one after another. */
export function createConnectionsService(parts: {
  ports: Ports
  repository: ConnectionsRepository
  savedSecrets: SavedSecrets
  removedFolders: RemovedFolders
  signIns: ReturnType<typeof createSignIns>
  newSignIns: NewSignIns
  settingsRepository: SettingsRepository
  restored: RestoredState
  open: OpenConnections
  log: Log
  onRemoved: (id: string) => void
  onChange: () => void
}) {
  const { ports, repository, savedSecrets, signIns, newSignIns, open, log } = parts
  const serial = createSerial()
  /** A sign-in that waits for the service must not delay the exit. */
  const stopping = new AbortController()
  /** The connection that the operator switched to last: others that open later stay in the background. Null: any may come to the front. */
  let wantedId: string | null = null
  let isStarted = false
  const mayComeToFront = (id: string) => wantedId === null || wantedId === id

  /** Opens a connection once earlier changes are done. Its id, if known, becomes the wanted one. */
  function opening<T>(id: string | null, task: () => Promise<T>): Promise<T> {
    wantedId = id
    return serial(task)
  }

  /** Opens it in front, then closes the one that was there unless it stays live. */
  async function activate(
    connection: Connection,
    signIn: SignIn,
    startSecrets: { label: string; value: string }[] = [],
  ): Promise<Opened> {
    await open.open(connection, signIn, { inFront: () => mayComeToFront(connection.id), startSecrets })
    await open.closeUnkept()
    return { connection, secrets: await savedSecrets.view() }
  }

  /**
   * The open connection if it can take a new sign-in: its listener then goes on, so no gap begins. One that didn't open
   * fully, may not listen before its first sign-in, or whose API key could not be read opens again.
   */
  function findLive(id: string, kind: ConnectInput['credential']['kind']): OpenConnection | null {
    const current = open.find(id)
    if (current === null || open.problemOf(id) !== null || !parts.restored.isSignedIn(id)) return null
    return current.signInProblem === null || kind === 'password' ? current : null
  }

  /** A new sign-in replaces the one that the keychain did not give. */
  async function signedIn(live: OpenConnection): Promise<void> {
    if (live.signInProblem === null) return
    live.signedIn()
    await live.features.listener.reloadSecrets()
  }

  async function connect(input: ConnectInput, signal: AbortSignal): Promise<Opened> {
    const { credential } = input
    const draft = newSignIns.draft(input)
    const live = findLive(draft.id, credential.kind)
    // A live session takes the new tokens. A new API key must prove itself before it replaces the one in use.
    const signIn = live && credential.kind === 'password' ? live.signIn : newSignIns.begin(draft, input)
    const closeUnused = () => {
      if (signIn !== live?.signIn) signIns.discard(draft, signIn)
    }
    let unanswered: AppError | null = null
    try {
      await proveSignIn(signIn, input, signal)
    } catch (error) {
      if (!input.evenOffline || !isAppError(error) || error.scope !== 'network') {
        closeUnused()
        throw error
      }
      unanswered = error
    }
    const connection = repository.save(draft)
    const isKept = unanswered === null || credential.kind === 'api-key'
    if (isKept) {
      parts.restored.signedIn(connection.id)
      await signIn.keepSaved()
    }
    if (live || !isKept) closeUnused()
    if (live) {
      if (credential.kind === 'api-key' && isApiKey(live.credentials))
        live.credentials.replace(credential.apiKey)
      if (unanswered === null) await signedIn(live)
      live.rename(connection)
      live.callService()
      return toFront(live)
    }
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

  async function openSandbox(): Promise<Opened> {
    const access = await ports.openSandbox()
    const live = findLive(sandboxId, 'password')
    if (live?.connection().baseUrl === access.baseUrl) {
      const { username, password } = access
      if (live.credentials.state().status !== 'signed-in')
        await live.client.auth.login({ username, password }, { lane: 'operator' })
      await signedIn(live)
      return toFront(live)
    }
    const isNew = !repository.find(sandboxId)
    const { connection, signIn } = await newSignIns.toSandbox(access)
    const opened = await activate(connection, signIn)
    const { features } = open.find(sandboxId) ?? {}
    if (isNew && features && access.samples)
      await addSamples(features, access.samples).catch((error: unknown) =>
        log.warn('Samples were not added', { error }),
      )
    return opened
  }

  async function toFront(current: OpenConnection): Promise<Opened> {
    const connection = current.connection()
    if (mayComeToFront(connection.id)) open.bringToFront(connection.id)
    // Not awaited: a long change may be under way.
    void serial(() => open.closeUnkept())
    return { connection, secrets: await savedSecrets.view() }
  }

  /** Opens it in the background, unless it is signed out or its background is off. */
  async function openBehind(connection: Connection): Promise<void> {
    const { id } = connection
    if (open.find(id) || !open.isBackgroundOn(id)) return
    try {
      const saved = await signIns.fromSaved(connection)
      const isSignedOut = saved.credentials.state().status === 'signed-out' && saved.problem === null
      if (isSignedOut || connection.kind === 'sandbox') saved.client.close()
      if (isSignedOut) return
      if (connection.kind === 'sandbox') {
        const sandbox = await newSignIns.toSandbox(await ports.openSandbox())
        await open.open(sandbox.connection, sandbox.signIn)
      } else await open.open(connection, saved)
    } catch (error) {
      log.error('A connection did not open', { error })
      open.noteProblem(id, error)
    }
  }

  /**
   * Logs out at the service, then forgets locally in any case. A keychain failure is reported before a failed logout.
   * Sandbox sessions end with the sandbox.
   */
  async function signOut(connection: Connection): Promise<AppError | null> {
    const current = open.find(connection.id)
    const signIn = current ?? (await signIns.fromSaved(connection))
    const unread = 'signInProblem' in signIn ? signIn.signInProblem : signIn.problem
    /** A saved session that can't be read can't be ended. */
    let endedAtService = unread === null || connection.credentialKind === 'api-key'
    try {
      if (signIn.credentials.state().status !== 'signed-out')
        ({ endedAtService } = await signIn.client.auth.logout({ lane: 'operator' }))
    } catch (error) {
      endedAtService = isAppError(error) && error.data['endedAtService'] === true
      log.info('Sign-out incomplete', { error })
    }
    if (!current) signIn.client.close()
    await open.closeUnkept()
    const left = await savedSecrets.forgetSignIn(connection.id)
    if (left || endedAtService || connection.kind === 'sandbox') return left
    return new AppError('SIGN_OUT_NOT_TOLD', { host: signIn.client.host })
  }

  const outcome = (problem: AppError | null): Outcome => ({ problem: problem && viewOf(problem) })

  return {
    /** The connection in front: the one opened last, which the desktop window and new tabs show. */
    active: open.front,
    list: async () => ({
      connections: repository.list(),
      secrets: await savedSecrets.view(),
      restored: repository.list().flatMap(({ id }) => {
        const state = parts.restored.of(id)
        return state && !state.signedIn ? [{ id, createdAt: state.createdAt, waiting: state.waiting }] : []
      }),
      failed: repository.list().flatMap(({ id }) => {
        const problem = open.problemOf(id)
        return problem ? [{ id, problem: viewOf(problem) }] : []
      }),
    }),
    /** `signal` cancels the sign-in. */
    connect: (input: ConnectInput, signal: AbortSignal): Promise<Opened> =>
      opening(null, () => connect(input, AbortSignal.any([stopping.signal, signal]))),
    openSandbox: (): Promise<Opened> => opening(sandboxId, openSandbox),
    /** Brings a saved connection to the front. At once if it is open. */
    async open(id: string): Promise<Opened> {
      const current = open.find(id)
      if (current?.signInProblem === null) {
        wantedId = id
        return toFront(current)
      }
      return opening(id, async () => openSaved(repository.get(id)))
    },
    openByName: (name: string): Promise<Opened> =>
      opening(null, async () => {
        const connection = repository.findByName(name)
        if (!connection) throw new AppError('NOT_FOUND', { what: { key: 'what.connectionNamed', name } })
        return openSaved(connection)
      }),
    /** Opens the last used connection, if any. */
    openLast: (): Promise<void> =>
      serial(async () => {
        const last = repository.list().find((connection) => connection.lastUsedAt !== null)
        if (last) await openSaved(last)
      }),
    /** Whether a connection that isn't open may open without being asked: the last step of the start opens several. */
    mayOpen: (id: string): boolean =>
      open.isOpening(id) || (!isStarted && repository.find(id) !== undefined && open.isBackgroundOn(id)),
    /** Opens the signed-in connections that stay live in the background, if `wanted`, one after the other. Never rejects. */
    async openOthers(wanted = true): Promise<void> {
      let others: Connection[] = []
      try {
        if (wanted) others = repository.list().filter(({ id }) => !open.find(id) && open.isBackgroundOn(id))
      } catch (error) {
        log.error('Could not read the connections to open', { error })
      }
      for (const { id } of others) open.setOpening(id, true)
      isStarted = true
      for (const { id } of others)
        await serial(async () => {
          try {
            const connection = repository.find(id)
            if (connection && !stopping.signal.aborted) await openBehind(connection)
          } catch (error) {
            open.noteProblem(id, error)
          }
          open.setOpening(id, false)
        })
    },
    /** Sets whether a connection stays live in the background, and opens or closes it accordingly. */
    setBackground: ({ id, background }: Input<'setBackground'>): Promise<void> =>
      serial(async () => {
        const connection = repository.get(id)
        open.setBackground(id, background)
        if (background) await openBehind(connection)
        else await open.closeUnkept()
        parts.onChange()
      }),
    /** A connection whose API key comes from the command line and isn't saved. */
    openUnattended: ({
      baseUrl,
      apiKey,
      webhookSecret,
    }: {
      baseUrl: string
      apiKey: string
      webhookSecret?: string | undefined
    }): Promise<Opened> =>
      opening(null, async () => {
        const { url, host } = parseBaseUrl(baseUrl)
        const id = `unattended-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`
        const saved = repository.find(id)
        const connection = repository.save({
          id,
          name: saved?.name ?? repository.freeName(host),
          baseUrl: url,
          kind: 'service',
          colour: saved?.colour ?? 'grey',
          production: saved?.production ?? false,
          credentialKind: 'api-key',
          username: null,
          allowPlainHttp: false,
          country: saved?.country ?? null,
          dashboardUrl: saved?.dashboardUrl ?? null,
        })
        const startSecrets =
          webhookSecret === undefined ? [] : [{ label: 'SWITCHBOARD_WEBHOOK_SECRET', value: webhookSecret }]
        return activate(connection, signIns.forApiKey(connection, apiKey, false), startSecrets)
      }),
    /** Saves a restored connection, under a free name. Doesn't open it. */
    adopt: (connection: Omit<Connection, 'lastUsedAt'>): Promise<Connection> =>
      serial(async () => {
        const saved = repository.save({ ...connection, name: repository.freeName(connection.name) })
        parts.onChange()
        return saved
      }),
    update: ({ country, dashboardUrl, ...input }: Input<'update'>): Promise<Connection> =>
      serial(async () => {
        if (typeof country === 'string' && !isPhoneRegion(country))
          throw new AppError('INVALID_INPUT', { detail: { key: 'input.notRegion', region: country } })
        const before = repository.get(input.id)
        const connection = repository.save({
          ...before,
          ...input,
          country: country === undefined ? before.country : country,
          dashboardUrl: dashboardUrl === undefined ? before.dashboardUrl : dashboardUrl,
        })
        open.find(connection.id)?.rename(connection)
        return connection
      }),
    async openDashboard({ id }: Input<'openDashboard'>): Promise<void> {
      const { dashboardUrl } = repository.get(id)
      if (dashboardUrl === null) throw new AppError('NOT_FOUND', { what: { key: 'what.dashboard' } })
      await ports.openExternal(dashboardUrl)
    },
    signOut: ({ id }: Input<'signOut'>): Promise<Outcome> =>
      serial(async () => outcome(await signOut(repository.get(id)))),
    remove: ({ id, confirmName }: Input<'remove'>): Promise<Outcome> =>
      serial(async () => {
        const connection = repository.get(id)
        checkConfirmed(connection, confirmName)
        const problem = await signOut(connection)
        await open.close(id, 'closed')
        open.forget(id)
        for (const account of [...listenerSecretAccounts(parts.settingsRepository, id), teamKeyAccount(id)])
          await savedSecrets.forget(account)
        parts.settingsRepository.removeAll(settingKeysOf(id))
        repository.remove(id)
        const left = await parts.removedFolders.remove(id)
        parts.onRemoved(id)
        parts.onChange()
        return outcome(left ?? problem)
      }),
    retryKeychain: (): Promise<SecretsView> =>
      serial(async () => {
        const view = await savedSecrets.retry()
        if (view.kind === 'keychain') {
          for (const current of open.all()) {
            const connection = current.connection()
            if (current.signInProblem === null) await current.features.listener.reloadSecrets()
            else {
              const inFront = () => open.isFront(connection.id)
              await open.open(connection, await signIns.fromSaved(connection), { inFront })
            }
          }
        }
        parts.onChange()
        return view
      }),
    /** Moves a connection's listener. An address or port applies to all connections. NO_CONNECTION if it isn't open. */
    async moveListener(
      id: string,
      { replaceSubscriptions = false, ...config }: ListenerMove,
    ): Promise<ListenerView> {
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
    /** Closes all connections. */
    stop(): Promise<void> {
      stopping.abort(new AppError('SIGNED_OUT'))
      return serial(() => open.closeAll())
    },
  }
}
