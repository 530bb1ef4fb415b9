import * as z from 'zod'
import type { Connection } from '../../contract/connection/connections.ts'
import { AppError } from '../../contract/errors.ts'
import { toAppError } from '../platform/rpc/errors.ts'
import { settingKey } from '../platform/settings/connection-settings.ts'
import type { StopReason } from './feature-list.ts'
import type { OpenConnection } from './open-connection.ts'
import type { SignIn } from './sign-in.ts'
import type { PlatformParts } from '../platform/parts.ts'

type StartSecrets = { label: string; value: string }[]

export type OpenConnections = ReturnType<typeof createOpenConnections>

/** The open connections, all live at once. The one in front was opened last; the desktop window shows it, browser tabs each their own. */
export function createOpenConnections(
  parts: Pick<PlatformParts, 'settings' | 'log'> & {
    openConnection: (
      connection: Connection,
      signIn: SignIn,
      startSecrets: StartSecrets,
      isInFront: () => boolean,
    ) => Promise<OpenConnection>
    /** Called when a connection comes to the front. */
    onFront: (connection: Connection) => void
    onChange: () => void
  },
) {
  const { settings, log, onChange } = parts
  const opened = new Map<string, OpenConnection>()
  const opening = new Set<string>()
  /** Why a connection did not open. */
  const problems = new Map<string, AppError>()
  let frontId: string | null = null

  const backgroundKey = (id: string) => settingKey(id, 'background')
  const isBackgroundOn = (id: string) => settings.get(backgroundKey(id), z.boolean()) ?? true

  /** Whether it stays open in the background. A signed-out connection does not. */
  function isKept(open: OpenConnection): boolean {
    const isSignedIn = open.credentials.state().status !== 'signed-out' || open.signInProblem !== null
    return isSignedIn && isBackgroundOn(open.connection().id)
  }

  /** `reason` is stored with the gap that begins. */
  async function close(id: string, reason: StopReason): Promise<void> {
    const closing = opened.get(id)
    opened.delete(id)
    if (frontId === id && reason === 'closed') frontId = null
    onChange()
    try {
      await closing?.stop(reason)
    } catch (error) {
      log.error('A connection did not close cleanly', { error })
    }
  }

  /** Closes the background connections that don't stay open. */
  async function closeUnkept(): Promise<void> {
    const unkept = [...opened].filter(([id, open]) => id !== frontId && !isKept(open))
    await Promise.all(unkept.map(([id]) => close(id, 'switched')))
  }

  function bringToFront(id: string): void {
    const open = opened.get(id)
    if (!open) throw new AppError('NO_CONNECTION')
    frontId = id
    open.warmUp()
    parts.onFront(open.connection())
    onChange()
  }

  return {
    all: (): readonly OpenConnection[] => [...opened.values()],
    find: (id: string): OpenConnection | null => opened.get(id) ?? null,
    front: (): OpenConnection | null => (frontId === null ? null : (opened.get(frontId) ?? null)),
    isFront: (id: string) => id === frontId,
    isOpening: (id: string) => opening.has(id),
    /** Marks connections that wait for their turn to open. */
    setOpening(id: string, isOpening: boolean): void {
      if (isOpening) opening.add(id)
      else opening.delete(id)
      onChange()
    },
    problemOf: (id: string): AppError | null => problems.get(id) ?? null,
    isBackgroundOn,
    setBackground: (id: string, on: boolean) => settings.put(backgroundKey(id), on),
    bringToFront,
    close,
    closeUnkept,
    noteProblem(id: string, error: unknown): void {
      problems.set(id, toAppError(error, log))
      onChange()
    },
    /** Opens a connection, or opens it again. Others stay as they are, also when this fails. */
    async open(
      connection: Connection,
      signIn: SignIn,
      {
        inFront = () => false,
        startSecrets = [],
      }: { inFront?: () => boolean; startSecrets?: StartSecrets } = {},
    ): Promise<void> {
      const { id } = connection
      opening.add(id)
      problems.delete(id)
      try {
        if (opened.has(id)) await close(id, 'restarted')
        const open = await parts.openConnection(connection, signIn, startSecrets, () => frontId === id)
        opened.set(id, open)
        if (inFront()) bringToFront(id)
        await open.start()
      } catch (error) {
        if (!opened.has(id) && frontId === id) frontId = null
        problems.set(id, toAppError(error, log))
        throw error
      } finally {
        opening.delete(id)
        onChange()
      }
    },
    async closeAll(): Promise<void> {
      frontId = null
      await Promise.all([...opened.keys()].map((id) => close(id, 'closed')))
    },
    forget: (id: string) => void problems.delete(id),
  }
}
