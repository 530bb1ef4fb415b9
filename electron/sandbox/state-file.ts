import { randomBytes } from 'node:crypto'
import { closeSync, fsync, openSync, writeFileSync } from 'node:fs'
import { readFile, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { ApiKeyRecord } from './api-keys.ts'
import { type HourFigures, createHourlyFigures } from './hourly-figures.ts'
import { type Campaign, type StoredMessage, isFinal } from './message-store.ts'
import type { SessionState } from './sessions.ts'
import { type Tenant, addContact } from './tenant.ts'
import type {
  ContactRecord,
  DncEntryRecord,
  OttMessageRecord,
  ScheduledMessageRecord,
  SubscriptionRecord,
  TemplateRecord,
} from './wire.ts'

const format = 1

/** Finished messages saved per tenant; open ones are all saved. */
const savedMessagesCap = 10_000

type SavedMessage = Omit<StoredMessage, 'campaign'> & { campaignId: string | null }

interface SavedTenant {
  id: string
  campaigns: Campaign[]
  messages: SavedMessage[]
  templates: TemplateRecord[]
  ottMessages: OttMessageRecord[]
  contacts: ContactRecord[]
  scheduled: ScheduledMessageRecord[]
  dnc: DncEntryRecord[]
  subscriptions: SubscriptionRecord[]
  figures: [number, HourFigures][]
  paidIn: number
  charged: number
}

/** A sandbox's state between runs. */
export interface SavedState {
  format: number
  seed: number
  /** Runs that used the file. Each draws from new dice, so ids never repeat. */
  generation: number
  sessions: SessionState
  apiKeys: [string, ApiKeyRecord][]
  tenants: SavedTenant[]
}

function savedOf(tenant: Tenant): SavedTenant {
  const messages = tenant.messages.all()
  const newestFrom = messages.length - savedMessagesCap
  return {
    id: tenant.id,
    campaigns: [...tenant.campaigns.values()],
    messages: messages
      .filter((message, index) => index >= newestFrom || !isFinal(message.status))
      .map(({ campaign, ...message }) => ({ ...message, campaignId: campaign?.id ?? null })),
    templates: [...tenant.templates.values()],
    ottMessages: [...tenant.ottMessages.values()],
    contacts: [...tenant.contacts.values()],
    scheduled: [...tenant.scheduled.values()],
    dnc: [...tenant.dnc.values()],
    subscriptions: [...tenant.subscriptions.values()],
    figures: tenant.figures.entries(),
    paidIn: tenant.paidIn,
    charged: tenant.charged,
  }
}

const keyed = <T extends { id: string }>(records: readonly T[]) =>
  new Map(records.map((record) => [record.id, record]))

/** Fills an empty tenant from the file. */
export function restoreTenant(tenant: Tenant, saved: SavedTenant): void {
  tenant.campaigns = keyed(saved.campaigns)
  tenant.templates = keyed(saved.templates)
  tenant.ottMessages = keyed(saved.ottMessages)
  tenant.scheduled = keyed(saved.scheduled)
  tenant.subscriptions = keyed(saved.subscriptions)
  tenant.dnc = new Map(saved.dnc.map((entry) => [entry.phone_number, entry]))
  tenant.figures = createHourlyFigures(saved.figures)
  tenant.paidIn = saved.paidIn
  tenant.charged = saved.charged
  for (const contact of saved.contacts) addContact(tenant, contact)
  for (const { campaignId, ...message } of saved.messages)
    tenant.messages.add({ ...message, campaign: (campaignId && tenant.campaigns.get(campaignId)) || null })
}

const tenantLists = [
  'campaigns',
  'messages',
  'templates',
  'ottMessages',
  'contacts',
  'scheduled',
  'dnc',
  'subscriptions',
  'figures',
] as const satisfies readonly (keyof SavedTenant)[]

/** Whether every part exists. Records are trusted: only the sandbox writes the file. */
function isWhole(state: Partial<SavedState>): boolean {
  const isTenantComplete = (tenant: Partial<SavedTenant> | null) =>
    typeof tenant?.id === 'string' &&
    tenantLists.every((name) => Array.isArray(tenant[name])) &&
    Number.isFinite(tenant.paidIn) &&
    Number.isFinite(tenant.charged)
  return (
    Number.isInteger(state.generation) &&
    typeof state.sessions?.key === 'string' &&
    Array.isArray(state.sessions.sessions) &&
    Array.isArray(state.apiKeys) &&
    (state.tenants ?? []).every(isTenantComplete)
  )
}

/**
 * The state in a file, or null when there is none. Throws an Error that names the file when it can't be used
 * with this seed.
 */
export async function readStateFile(path: string, seed: number): Promise<SavedState | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new Error(`The state file ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  let state: SavedState
  try {
    state = JSON.parse(text) as SavedState
  } catch (error) {
    throw damaged(path, error)
  }
  if (state?.format !== format || !Array.isArray(state.tenants))
    throw new Error(`The state file ${path} is not a sandbox state file. Nothing was changed.`)
  if (state.seed !== seed)
    throw new Error(`The state file ${path} belongs to seed ${state.seed}, not ${seed}. Nothing was changed.`)
  if (!isWhole(state)) throw damaged(path)
  return state
}

function damaged(path: string, cause?: unknown): Error {
  return new Error(`The state file ${path} is damaged. Nothing was changed; move it away to start over.`, {
    cause,
  })
}

/** Removes drafts of runs that were killed while writing. */
async function clearLeftovers(path: string): Promise<void> {
  const folder = dirname(path)
  const before = `${basename(path)}.`
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (name.startsWith(before) && /^[0-9a-f]{8}\.new$/.test(name.slice(before.length)))
      await rm(join(folder, name), { force: true })
}

/** State to save, with its tenants as they are. */
type CurrentState = Omit<SavedState, 'format' | 'tenants'> & { tenants: readonly Tenant[] }

/** Entries of a list per piece of JSON. */
const entriesPerPiece = 200

/** The file in pieces: as one text of 11 MB it would keep about 20 MiB of the process's memory. */
function* piecesOf({ tenants, ...rest }: CurrentState): Generator<string> {
  yield `${JSON.stringify({ format, ...rest }).slice(0, -1)},"tenants":[`
  let before = ''
  for (const one of tenants) {
    const tenant = savedOf(one)
    yield `${before}{"id":${JSON.stringify(tenant.id)},"paidIn":${tenant.paidIn},"charged":${tenant.charged}`
    for (const name of tenantLists) {
      yield `,"${name}":[`
      for (let from = 0; from < tenant[name].length; from += entriesPerPiece) {
        const entries = JSON.stringify(tenant[name].slice(from, from + entriesPerPiece)).slice(1, -1)
        yield from === 0 ? entries : `,${entries}`
      }
      yield ']'
    }
    yield '}'
    before = ','
  }
  yield ']}'
}

/**
 * Writes the state beside the file, syncs and renames it, so the file is never half written. Rejects with an
 * Error that names the file.
 */
async function writeStateFile(path: string, state: CurrentState): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString('hex')}.new`
  try {
    const fd = openSync(aside, 'w', 0o600)
    try {
      // Without a wait, so that all of it is from one moment.
      for (const piece of piecesOf(state)) writeFileSync(fd, piece)
      await promisify(fsync)(fd)
    } finally {
      closeSync(fd)
    }
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
