import { randomBytes } from 'node:crypto'
import { open, readFile, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { ApiKeys } from './api-keys.ts'
import { type HourFigures, createHourlyFigures } from './hourly-figures.ts'
import { type StoredMessage, isFinal } from './message-store.ts'
import type { SessionState } from './sessions.ts'
import type { Tenant } from './tenant.ts'

const format = 'switchboard sandbox 2'

/** Finished messages saved per tenant; open ones are all saved. */
const savedMessagesCap = 10_000

/** Parts of a tenant that are saved as they are. */
const wholeParts = [
  'id',
  'campaigns',
  'templates',
  'ottMessages',
  'contacts',
  'contactIds',
  'scheduled',
  'dnc',
  'subscriptions',
  'paidIn',
  'charged',
] as const satisfies readonly (keyof Tenant)[]

type SavedTenant = Pick<Tenant, (typeof wholeParts)[number]> & {
  savedMessages: StoredMessage[]
  savedFigures: [number, HourFigures][]
}

/** A sandbox's state between runs. */
export interface SavedState {
  format: typeof format
  seed: number
  /** Runs that used the file. Each draws from new dice, so ids never repeat. */
  generation: number
  sessions: SessionState
  apiKeys: ReturnType<ApiKeys['state']>
  tenants: SavedTenant[]
}

function savedOf(tenant: Tenant): SavedTenant {
  const messages = tenant.messages.all()
  const newestFrom = messages.length - savedMessagesCap
  return {
    ...(Object.fromEntries(wholeParts.map((name) => [name, tenant[name]])) as Pick<
      Tenant,
      (typeof wholeParts)[number]
    >),
    savedMessages: messages.filter((message, index) => index >= newestFrom || !isFinal(message.status)),
    savedFigures: tenant.figures.entries(),
  }
}

/** Fills an empty tenant from the file. */
export function restoreTenant(tenant: Tenant, { savedMessages, savedFigures, ...parts }: SavedTenant): void {
  Object.assign(tenant, parts)
  tenant.figures = createHourlyFigures(savedFigures)
  for (const message of savedMessages) tenant.messages.add(message)
}

/** The state in a file; null without one. Throws an Error that names a file that can't be used with this seed. */
export async function readStateFile(path: string, seed: number): Promise<SavedState | null> {
  let state: SavedState
  try {
    state = deserialize(await readFile(path)) as SavedState
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    const what = code
      ? `cannot be read: ${message}`
      : 'is damaged. Nothing was changed; move it away to start over.'
    throw new Error(`The state file ${path} ${what}`, { cause: error })
  }
  if (state?.format !== format)
    throw new Error(`The state file ${path} is not a sandbox state file. Nothing was changed.`)
  if (state.seed !== seed)
    throw new Error(`The state file ${path} belongs to seed ${state.seed}, not ${seed}. Nothing was changed.`)
  return state
}

/** Removes drafts of runs that were killed while writing. */
async function clearLeftovers(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => [])
  for (const name of names)
    if (name.startsWith(`${basename(path)}.`) && /\.[0-9a-f]{8}\.new$/.test(name))
      await rm(join(dirname(path), name), { force: true })
}

/** State to save, with its tenants as they are. */
type CurrentState = Omit<SavedState, 'format' | 'tenants'> & { tenants: readonly Tenant[] }

/** Replaces the file as a whole, synced. Rejects with an Error that names it. */
async function writeStateFile(path: string, state: CurrentState): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString('hex')}.new`
  try {
    await using file = await open(aside, 'w', 0o600)
    // Keeps which campaign a message belongs to, and all of it is from one moment.
    await file.writeFile(serialize({ ...state, format, tenants: state.tenants.map(savedOf) }))
    await file.sync()
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {})
    throw new Error(`The state file ${path} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

/** The most that a kill may lose. */
const saveEveryMs = 15_000

/** Saves state to `path`, one write after the other. Does nothing without a path. */
export function createStateKeeper(options: {
  path: string | undefined
  clock: Clock
  log: Log
  snapshot(): CurrentState
}) {
  const { path, clock, log, snapshot } = options
  let saving: Promise<void> = Promise.resolve()
  let cancel = () => {}

  function save(): Promise<void> {
    if (path === undefined) return Promise.resolve()
    saving = saving.catch(() => {}).then(() => writeStateFile(path, snapshot()))
    return saving
  }

  return {
    /**
     * Saves now and then regularly. The first save claims the run's generation, so a run that is killed soon
     * doesn't see its ids reused. Rejects like `save`.
     */
    async start(): Promise<void> {
      if (path === undefined) return
      await clearLeftovers(path)
      await save()
      cancel = clock.every(saveEveryMs, () => {
        save().catch((error: unknown) => log.error('The state file could not be written', { error }))
      })
    },
    /** Rejects with an Error that names the file. */
    save,
    /** Ends the regular saves; `save` still works. */
    stop: () => cancel(),
  }
}
