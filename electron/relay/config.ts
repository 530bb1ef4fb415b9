import { dirname, resolve } from 'node:path'
import * as z from 'zod'
import { portOf, readGuarded, UsageError } from '../lib/command-line.ts'
import { feedPath, inboxPath } from '../listener/feed-protocol.ts'
import type { ListenerSecret } from '../listener/protocol.ts'
import { teamPath } from '../listener/team-protocol.ts'
import type { KeepRules } from './retention.ts'

export interface InboxConfig {
  name: string
  path: string
  /** Empty: deliveries are stored unsigned. */
  secrets: ListenerSecret[]
  keep: KeepRules
  /** Deliveries above this rate get 503. */
  perSecond: number
}

/** A NATS JetStream account as the store. */
export interface NatsConfig {
  /** Such as `nats://host:4222` or `tls://host:4222`, of one cluster. */
  servers: string[]
  /** What `nsc` writes, or one line: `user:password` or a token. */
  credentialsFile: string | null
  tls: { caFile?: string; certFile?: string; keyFile?: string } | null
  /** Null: 3 in a cluster, else 1. */
  replicas: number | null
  /** Store on this machine's disk while JetStream does not answer. */
  spill: boolean
}

export interface RelayConfig {
  host: string
  port: number
  /** Null only with a shared store. */
  dataDir: string | null
  /** Null: the embedded one, in the data folder. */
  store: NatsConfig | null
  tls: { certFile: string; keyFile: string } | null
  inboxes: InboxConfig[]
  limits: { connections: number; bodyBytes: number; feeds: number; teamBytes: number }
}

export interface RelayFlags {
  port?: string | undefined
  host?: string | undefined
  'data-dir'?: string | undefined
  store?: string | undefined
  config?: string | undefined
}

/** Paths the relay answers itself. */
const ownPaths = [feedPath, teamPath, '/healthz', '/readyz', '/metrics']

const mebibyte = 1024 * 1024
const dayMs = 86_400_000

const text = z.string('must be a text in quotes')
const amount = (most: number) => {
  const range = `must be a number from 1 to ${most}`
  return z.number(range).min(1, range).max(most, range)
}
const secret = z.strictObject({
  file: text.min(1, 'must name a file').optional(),
  env: text.min(1, 'must name an environment variable').optional(),
  retireAt: z.iso.datetime('must be a time such as "2026-12-01T00:00:00Z"').optional(),
})
const keep = z.strictObject({
  days: amount(3_650).optional(),
  mebibytes: amount(1_048_576).optional(),
  unreadDays: amount(3_650).optional(),
  unreadMebibytes: amount(1_048_576).optional(),
})
const inbox = z.strictObject({
  name: text.regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens'),
  path: text.regex(inboxPath, 'must begin with "/" and have letters, digits and "-._~/" only'),
  secrets: z.array(secret, 'must be a list such as [{ "file": "secret.txt" }]').optional(),
  keep: keep.optional(),
  perSecond: amount(100_000).optional(),
})
const port = z
  .number('must be a number')
  .int('must be a whole number')
  .min(0)
  .max(65_535, 'must be at most 65535')
const store = z.strictObject({
  url: text.min(1, 'must be an address such as "nats://localhost:4222"'),
  credentialsFile: text.optional(),
  caFile: text.optional(),
  certFile: text.optional(),
  keyFile: text.optional(),
  replicas: amount(5).int('must be a whole number').optional(),
  spill: z.boolean('must be true or false').optional(),
})
const shape = z.strictObject({
  host: text.optional(),
  port: port.optional(),
  dataDir: text.optional(),
  store: store.optional(),
  tls: z.strictObject({ certFile: text, keyFile: text }).optional(),
  inboxes: z
    .array(inbox, 'must be a list such as [{ "name": "main", "path": "/webhooks" }]')
    .min(1, 'must have at least one inbox'),
  limits: z
    .strictObject({
      connections: amount(10_000).optional(),
      bodyKibibytes: amount(1_024).optional(),
      feeds: amount(1_000).optional(),
      teamMebibytes: amount(1_048_576).optional(),
    })
    .optional(),
})
type Written = z.infer<typeof shape>

/** Beside the listener of a console at 8787. */
const defaultPort = 8_788
/** Used without a config file. */
const secretVariable = 'SWITCHBOARD_RELAY_SECRET'

/** Throws `UsageError`. Removes the secrets from `env`, so that children don't inherit them. */
export function readConfig(flags: RelayFlags, env: NodeJS.ProcessEnv): RelayConfig {
  const { where, at, ...file } = openFile(flags)
  const written = file.written ?? withoutFile(env)
  const place = placeOf(flags, written, at, where)
  if (place.dataDir === null && !place.store)
    throw new UsageError(
      'The relay needs a data folder. Name one with --data-dir, or "dataDir" in the config file.',
    )
  refuseDuplicates(written, where)
  const used = new Set<string>()
  const inboxes = written.inboxes.map((one, index): InboxConfig => {
    const secrets = (one.secrets ?? []).map((reference, position) =>
      readSecret(reference, `${where}: inboxes[${index}].secrets[${position}]`, position, at, env, used),
    )
    return {
      name: one.name,
      path: one.path,
      secrets,
      keep: keepRules(one.keep ?? {}, secrets.length > 0, `${where}: inboxes[${index}].keep`),
      // Anyone can send unsigned deliveries.
      perSecond: one.perSecond ?? (secrets.length > 0 ? 2_000 : 20),
    }
  })
  for (const name of used) Reflect.deleteProperty(env, name)
  return {
    host: flags.host ?? written.host ?? '127.0.0.1',
    port:
      flags.port === undefined
        ? (written.port ?? defaultPort)
        : portOf(flags.port, `--port must be a number from 0 to 65535, not "${flags.port}".`),
    ...place,
    tls: written.tls ? { certFile: at(written.tls.certFile), keyFile: at(written.tls.keyFile) } : null,
    inboxes,
    limits: {
      connections: written.limits?.connections ?? 512,
      bodyBytes: (written.limits?.bodyKibibytes ?? 64) * 1024,
      feeds: written.limits?.feeds ?? 64,
      teamBytes: (written.limits?.teamMebibytes ?? 1_024) * mebibyte,
    },
  }
}

/** The store alone, for commands that need nothing else. Throws `UsageError`. */
export function readPlace(flags: RelayFlags): Place & { inboxes: string[] } {
  const { written, at, where } = openFile(flags)
  const place = placeOf(flags, written ?? {}, at, where)
  if (place.dataDir === null && !place.store)
    throw new UsageError(
      'Name the data folder of the relay with --data-dir, its store with --store, or its config file with --config.',
    )
  return { ...place, inboxes: written?.inboxes.map(({ name }) => name) ?? [] }
}

/** The config file, if one is named, and what its paths mean. */
function openFile(flags: RelayFlags) {
  const file = flags.config === undefined ? null : resolve(flags.config)
  return {
    written: file === null ? null : readFile(file),
    where: file ?? 'The settings',
    at: (path: string) => (file === null ? resolve(path) : resolve(dirname(file), path)),
  }
}

type Place = Pick<RelayConfig, 'dataDir' | 'store'>

function placeOf(
  flags: RelayFlags,
  written: Partial<Written>,
  at: (path: string) => string,
  where: string,
): Place {
  const dataDir = flags['data-dir']
    ? resolve(flags['data-dir'])
    : written.dataDir
      ? at(written.dataDir)
      : null
  const url = flags.store ?? written.store?.url
  if (url === undefined) return { dataDir, store: null }
  const { credentialsFile, caFile, certFile, keyFile, replicas, spill } = written.store ?? {}
  const servers = serversOf(url, flags.store === undefined ? `${where}: store.url` : '--store')
  const files = Object.entries({ caFile, certFile, keyFile }).flatMap(([name, file]) =>
    file === undefined ? [] : [[name, at(file)]],
  )
  const isTls = files.length > 0 || servers.some((one) => one.startsWith('tls:'))
  return {
    dataDir,
    store: {
      servers,
      credentialsFile: credentialsFile === undefined ? null : at(credentialsFile),
      tls: isTls ? (Object.fromEntries(files) as NatsConfig['tls']) : null,
      replicas: replicas ?? null,
      spill: (spill ?? true) && dataDir !== null,
    },
  }
}

/** The addresses of one cluster; `field` has them. */
function serversOf(url: string, field: string): string[] {
  const servers = url.split(',').map((one) => one.trim())
  for (const server of servers) {
    const parsed = URL.parse(server)
    if (!parsed || !['nats:', 'tls:'].includes(parsed.protocol) || parsed.hostname === '')
      throw new UsageError(`${field} must be addresses such as "nats://host:4222" or "tls://host:4222".`)
    if (parsed.username || parsed.password)
      throw new UsageError(
        `${field} has a user name or password. Put "user:password" into a file, and name it as "credentialsFile" of "store".`,
      )
  }
  return servers
}

/** The text of a credentials file, after checking that others can't read it. Throws `UsageError`. */
export const readCredentials = (file: string): string =>
  readPrivate(file, 0o027, `The credentials file ${file}`, 'read', 'chmod 600')

function withoutFile(env: NodeJS.ProcessEnv): Written {
  const secrets = env[`${secretVariable}_FILE`]
    ? [{ file: env[`${secretVariable}_FILE`] }]
    : env[secretVariable]
      ? [{ env: secretVariable }]
      : []
  return { inboxes: [{ name: 'main', path: '/webhooks', secrets }] }
}

function readFile(file: string): Written {
  const content = readPrivate(file, 0o022, `The config file ${file}`, 'changed', 'chmod go-w')
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch (error) {
    throw new UsageError(
      `The config file ${file} is not valid JSON (${(error as Error).message}). Correct it and start again.`,
    )
  }
  const result = shape.safeParse(json)
  if (result.success) return result.data
  throw new UsageError(
    `${result.error.issues.map((issue) => `${file}: ${problemOf(issue)}`).join('\n')}\nCorrect it and start again.`,
  )
}

function problemOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.reduce<string>(
    (path, key) =>
      typeof key === 'number' ? `${path}[${key}]` : path === '' ? String(key) : `${path}.${String(key)}`,
    '',
  )
  const at = place === '' ? 'the file' : place
  if (issue.code === 'unrecognized_keys')
    return `${at} has an unknown setting: ${issue.keys.join(', ')}. electron/relay/guide.md lists all settings.`
  return issue.code === 'invalid_type' && issue.input === undefined
    ? `${at} is missing or ${issue.message}.`
    : `${at} ${issue.message}.`
}

function refuseDuplicates({ inboxes }: Written, where: string): void {
  inboxes.forEach((one, index) => {
    const other = inboxes.slice(0, index).find(({ name, path }) => name === one.name || path === one.path)
    if (other)
      throw new UsageError(
        `${where}: inboxes[${index}] has the name or path of another inbox (${other.name}, ${other.path}). Give each its own.`,
      )
    if (ownPaths.includes(one.path))
      throw new UsageError(
        `${where}: inboxes[${index}].path is ${one.path}, which the relay uses itself. Choose another.`,
      )
  })
}

function keepRules(written: z.infer<typeof keep>, isSigned: boolean, where: string): KeepRules {
  const days = written.days ?? 14
  const mebibytes = written.mebibytes ?? (isSigned ? 1_024 : 64)
  const unreadDays = written.unreadDays ?? Math.max(90, days)
  // Anyone can fill an unsigned inbox.
  const unreadMebibytes = written.unreadMebibytes ?? (isSigned ? Math.max(4_096, mebibytes) : mebibytes)
  if (unreadDays < days || unreadMebibytes < mebibytes)
    throw new UsageError(
      `${where}: the limits for unread deliveries are below those for read ones. Raise unreadDays or unreadMebibytes.`,
    )
  return {
    ageMs: days * dayMs,
    bytes: mebibytes * mebibyte,
    unreadAgeMs: unreadDays * dayMs,
    unreadBytes: unreadMebibytes * mebibyte,
  }
}

function readSecret(
  { file, env: variable, retireAt }: z.infer<typeof secret>,
  where: string,
  position: number,
  at: (path: string) => string,
  env: NodeJS.ProcessEnv,
  used: Set<string>,
): ListenerSecret {
  if ((file === undefined) === (variable === undefined))
    throw new UsageError(`${where} must have either "file" or "env". Name the place of one secret.`)
  let value: string
  if (file !== undefined) {
    value = readPrivate(at(file), 0o027, `${where}: the secret file ${at(file)}`, 'read', 'chmod 600')
  } else {
    value = env[variable!] ?? ''
    if (value === '')
      throw new UsageError(
        `${where}: the environment variable ${variable!} is not set. Set it, or name a file.`,
      )
    used.add(variable!)
  }
  value = value.replace(/\r?\n$/, '')
  if (value.trim() === '')
    throw new UsageError(`${where}: the secret is empty. Put the signing secret of the subscription into it.`)
  return {
    id: `secret-${position + 1}`,
    label: file ?? variable!,
    value,
    ...(retireAt === undefined ? {} : { retireAtMs: Date.parse(retireAt) }),
  }
}

/** Refuses a file that others can read or change. */
function readPrivate(file: string, forbidden: number, name: string, act: string, remedy: string): string {
  return readGuarded(file, forbidden, {
    onOpen(mode) {
      throw new UsageError(`${name} can be ${act} by other users (mode ${mode}). Run: ${remedy} ${file}`)
    },
    problem: (code) => `${name} can't be read (${code}). Check the path and its permissions.`,
  })
}
