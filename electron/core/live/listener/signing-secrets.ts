import { randomUUID } from 'node:crypto'
import type { ListenerSecret } from '../../../contract/live/listener.ts'
import { AppError, type ErrorCode, isAppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import type { ListenerSecret as SigningSecret } from '../../../listener/protocol.ts'
import type { SecretStore } from '../../ports.ts'
import { type ListenerSettings, secretAccount, type StoredListener } from './listener-settings.ts'

/** States in which waiting won't bring a saved secret back. */
const lastingStates: ReadonlySet<ErrorCode> = new Set([
  'KEYCHAIN_NO_LIBRARY',
  'KEYCHAIN_NO_BUS',
  'KEYCHAIN_NO_PROVIDER',
  'KEYCHAIN_NO_COLLECTION',
])

/** Reads one account. `isLost`: waiting won't bring it back. */
export async function readSecret(
  secrets: Pick<SecretStore, 'get'>,
  account: string,
): Promise<{ value: string | null; problem: AppError | null; isLost: boolean }> {
  try {
    const value = await secrets.get(account)
    return { value, problem: null, isLost: value === null }
  } catch (error) {
    const problem = isAppError(error)
      ? error
      : new AppError('KEYCHAIN_FAILED', { detail: { key: 'keychain.noReason' } })
    return { value: null, problem, isLost: lastingStates.has(problem.code) }
  }
}

export type SigningSecrets = ReturnType<typeof createSigningSecrets>

/** The signing secrets of one listener: names in its settings, values in the keychain. */
export function createSigningSecrets(parts: {
  connectionId: string
  settings: Pick<ListenerSettings, 'read' | 'write'>
  secrets: SecretStore
  /** Secrets from the start configuration. Their values are never saved; their names are, so that one that is no longer given is missing. */
  startSecrets: readonly { label: string; value: string }[]
  forgetSecret: (account: string) => Promise<unknown>
  clock: Clock
  /** Called after a change, to pass them to the listener. */
  onChange: () => Promise<void>
}) {
  const { settings, secrets, clock } = parts
  const account = (id: string) => secretAccount(parts.connectionId, id)
  const values = new Map<string, string>()
  /** Accounts of secrets that the keychain didn't take: they are lost at the end of this run. */
  let unsaved: ReadonlySet<string> = new Set()
  /** Saved secrets whose values are gone. */
  const lost = new Set<string>()
  /** Why a saved secret could not be read, while that lasts. */
  let unread: AppError | null = null

  const given = parts.startSecrets.map(({ label, value }, index) => ({ id: `start-${index}`, label, value }))
  const isGiven = ({ id }: { id: string }) => given.some((one) => one.id === id)
  if (given.length > 0) {
    const read = settings.read()
    const added = { addedAtMs: clock.now(), retiresAtMs: null }
    const saved = read.secrets.filter((secret) => !isGiven(secret))
    settings.write({
      ...read,
      secrets: [...given.map(({ id, label }) => ({ id, label, ...added })), ...saved],
    })
    for (const { id, value } of given) values.set(id, value)
  }

  /** Secrets with a loaded value. Retired ones help to explain rejected deliveries. */
  const known = (): SigningSecret[] =>
    settings
      .read()
      .secrets.filter(({ id }) => values.has(id))
      .map(({ id, label, retiresAtMs }) => ({
        id,
        label,
        value: values.get(id)!,
        ...(retiresAtMs === null || isGiven({ id }) ? {} : { retireAtMs: retiresAtMs }),
      }))

  const active = () =>
    known().filter(({ retireAtMs }) => retireAtMs === undefined || retireAtMs > clock.now())

  const activeIds = (is: (secret: SigningSecret) => boolean) =>
    active()
      .filter(is)
      .map(({ id }) => id)

  /** Writes that failed are repeated with the next one that works. */
  const findUnsaved = async () => void (unsaved = new Set(await secrets.unsaved()))
  const isInMemory = (id: string) => unsaved.has(account(id))

  function valueOf(id: string): ListenerSecret['value'] {
    if (values.has(id)) return isInMemory(id) ? 'memory' : 'known'
    return lost.has(id) ? 'lost' : 'unread'
  }

  async function save(next: StoredListener): Promise<void> {
    settings.write(next)
    await parts.onChange()
  }

  return {
    known,
    active,
    /** Ids of the active secrets with this value. */
    idsOf: (value: string): string[] => activeIds((secret) => secret.value === value),
    /** Ids of the active secrets with this label. Secrets created for a subscription are labelled with its URL. */
    idsLabelled: (label: string): string[] => activeIds((secret) => secret.label === label),
    /** Whether the secret is lost at the end of this run. */
    isInMemory,
    /** Asks the keychain again which secrets it has. */
    findUnsaved,
    /** Reads the saved secrets that are not loaded yet. Returns whether a later try may find more. */
    async load(): Promise<boolean> {
      unread = null
      lost.clear()
      for (const { id } of settings.read().secrets) {
        if (values.has(id)) continue
        const { value, problem, isLost } = await readSecret(secrets, account(id))
        if (value !== null) values.set(id, value)
        if (isLost) lost.add(id)
        unread = problem ?? unread
      }
      await findUnsaved()
      return unread !== null
    },
    /** Whether an unread secret may soon be readable. Not the case on a computer without a keychain. */
    isUnreadForNow: () => unread !== null && !lastingStates.has(unread.code),
    /** The keychain's error, while saved secrets can't be read. */
    problem: () => unread,
    /** Active secrets whose value is not loaded. */
    missing: () =>
      settings
        .read()
        .secrets.filter(
          ({ id, retiresAtMs }) => !values.has(id) && (retiresAtMs === null || retiresAtMs > clock.now()),
        ),
    view: (): ListenerSecret[] =>
      settings
        .read()
        .secrets.filter((secret) => !isGiven(secret))
        .map(({ id, label, addedAtMs, retiresAtMs }) => ({
          id,
          label,
          addedAt: isoTime(addedAtMs),
          retiresAt: isoTime(retiresAtMs),
          value: valueOf(id),
        })),
    async add({
      label,
      value,
      retireOthersAfterHours,
    }: {
      label: string
      value: string
      retireOthersAfterHours?: number | undefined
    }): Promise<void> {
      const same = active().find((secret) => secret.value === value)
      if (same)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.secretStored', label: same.label } })
      const id = randomUUID()
      await secrets.set(account(id), value)
      await findUnsaved()
      values.set(id, value)
      const read = settings.read()
      // Replaces one of the same name whose value is gone, as after a restart without a keychain.
      const stored = read.secrets.filter((secret) => secret.label !== label || values.has(secret.id))
      const nowMs = clock.now()
      const others =
        retireOthersAfterHours === undefined
          ? stored
          : stored.map((secret) => ({
              ...secret,
              retiresAtMs: Math.min(
                secret.retiresAtMs ?? Infinity,
                nowMs + retireOthersAfterHours * 3_600_000,
              ),
            }))
      await save({ ...read, secrets: [...others, { id, label, addedAtMs: nowMs, retiresAtMs: null }] })
    },
    async remove(id: string): Promise<void> {
      const stored = settings.read()
      if (!stored.secrets.some((secret) => secret.id === id))
        throw new AppError('NOT_FOUND', { what: { key: 'what.secret' } })
      const isLast = active().every((secret) => secret.id === id)
      if (isLast && !isLoopbackHost(stored.config.address)) throw new AppError('WIDE_BIND_NEEDS_SECRET')
      values.delete(id)
      await save({ ...stored, secrets: stored.secrets.filter((secret) => secret.id !== id) })
      await parts.forgetSecret(account(id))
    },
  }
}
