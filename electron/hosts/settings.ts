import { parseArgs } from 'node:util'
import { getProxyForUrl } from 'proxy-from-env'
import type { CoreConfig } from '../core/create-core.ts'
import { portOf, readGuarded, UsageError } from '../lib/command-line.ts'
import { hostLanguage, startText as t } from './texts.ts'

/** Command line and environment. The desktop host has no web server and opens no browser. */
export interface HostSettings {
  /** 0 takes a free one. */
  port: number
  /** As given; null for the platform's own. */
  dataDir: string | null
  openBrowser: boolean
  startWith: CoreConfig['startWith']
  listenerPort: number | null
}

const command = 'npm run serve -- [--port N] [--data-dir DIR] [--connection NAME] [--sandbox] [--no-open]'

/**
 * Variables with secrets; `NAME_FILE` names a file or descriptor (`/dev/fd/N`) instead. Hosts delete them
 * after reading, so children don't inherit them; `/proc/PID/environ` still shows them.
 */
export const secretVariables = ['SWITCHBOARD_API_KEY', 'SWITCHBOARD_WEBHOOK_SECRET'] as const
type SecretVariable = (typeof secretVariables)[number]
type Warn = (sentence: string) => void
/** File mode bits: readable by group or others. */
const readableByOthers = 0o044

/** Throws `UsageError` for unknown, incomplete or contradictory settings. */
export function readSettings(args: string[], env: NodeJS.ProcessEnv, warn: Warn = () => {}): HostSettings {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new UsageError(t('tls'))
  }
  const flags = readFlags(args)
  return {
    port: flags.port === undefined ? 0 : readPort(flags.port, '--port'),
    dataDir: nonEmpty(flags['data-dir'], '--data-dir') ?? nonEmpty(env['SWITCHBOARD_DATA_DIR']) ?? null,
    openBrowser: !flags['no-open'],
    startWith: startOf(flags, env, warn),
    listenerPort: env['SWITCHBOARD_LISTENER_PORT']
      ? readPort(env['SWITCHBOARD_LISTENER_PORT'], 'SWITCHBOARD_LISTENER_PORT')
      : null,
  }
}

/**
 * Settings of the desktop host. Chromium shares its command line, so only our flags are read. Throws
 * `UsageError`, also for flags of the browser host.
 */
export function readDesktopSettings(
  args: string[],
  env: NodeJS.ProcessEnv,
  warn: Warn = () => {},
): HostSettings {
  const { tokens } = parseArgs({ args, options: flagTypes, strict: false, tokens: true })
  const own = tokens.filter((token) => token.kind === 'option').filter(({ name }) => name in flagTypes)
  const foreign = own.find(({ name }) => name === 'port' || name === 'no-open')
  if (foreign) {
    throw new UsageError(t('browserFlag', { flag: foreign.rawName }))
  }
  const ownArgs = own.flatMap(({ rawName, value, inlineValue }) =>
    value === undefined ? [rawName] : inlineValue ? [`${rawName}=${value}`] : [rawName, value],
  )
  return readSettings(ownArgs, env, warn)
}

export const flagTypes = {
  port: { type: 'string' },
  'data-dir': { type: 'string' },
  connection: { type: 'string' },
  sandbox: { type: 'boolean' },
  'no-open': { type: 'boolean' },
} as const

type Flags = ReturnType<typeof readFlags>

function readFlags(args: string[]) {
  try {
    return parseArgs({ args, options: flagTypes }).values
  } catch (error) {
    throw new UsageError(t('flags', { problem: firstSentence((error as Error).message), command }))
  }
}

function startOf(flags: Flags, env: NodeJS.ProcessEnv, warn: Warn): CoreConfig['startWith'] {
  const name = nonEmpty(flags.connection, '--connection')
  const baseUrl = nonEmpty(env['SWITCHBOARD_BASE_URL'])
  const apiKey = secretOf('SWITCHBOARD_API_KEY', env, warn)
  const webhookSecret = secretOf('SWITCHBOARD_WEBHOOK_SECRET', env, warn)
  const targets = [
    ...(name === undefined ? [] : ['--connection']),
    ...(flags.sandbox ? ['--sandbox'] : []),
    ...(baseUrl === undefined && apiKey === undefined ? [] : [t('addressAndKey')]),
  ]
  if (targets.length > 1) {
    throw new UsageError(
      t('services', {
        targets: new Intl.ListFormat(hostLanguage(), { type: 'conjunction' }).format(targets),
      }),
    )
  }
  if (webhookSecret !== undefined && baseUrl === undefined && apiKey === undefined) {
    throw new UsageError(t('webhookSecret'))
  }
  if (name !== undefined) return { kind: 'connection', name }
  if (flags.sandbox) return { kind: 'sandbox' }
  if (baseUrl !== undefined && apiKey !== undefined) {
    return { kind: 'unattended', baseUrl, apiKey, ...(webhookSecret === undefined ? {} : { webhookSecret }) }
  }
  if (baseUrl !== undefined || apiKey !== undefined) {
    throw new UsageError(
      t('missing', { name: baseUrl === undefined ? 'SWITCHBOARD_BASE_URL' : 'SWITCHBOARD_API_KEY' }),
    )
  }
  return { kind: 'last' }
}

/** The proxy of HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY for an origin, as a URL; null for none. */
export function environmentProxy(origin: string): string | null {
  return getProxyForUrl(origin) || null
}

/** A secret from its variable or `_FILE`, without one trailing line end. */
function secretOf(name: SecretVariable, env: NodeJS.ProcessEnv, warn: Warn): string | undefined {
  const value = nonEmpty(env[name])
  const file = nonEmpty(env[`${name}_FILE`])
  if (file === undefined) return value
  if (value !== undefined) throw new UsageError(t('both', { name }))
  const secret = readSecret(name, file, warn).replace(/\r?\n$/, '')
  if (secret.trim() === '') throw new UsageError(t('emptyFile', { name }))
  return secret
}

function readSecret(name: SecretVariable, file: string, warn: Warn): string {
  const descriptor = /^\/dev\/fd\/(\d+)$/.exec(file)?.[1]
  // By number, because /dev/fd may not exist.
  const source = descriptor === undefined ? file : Number(descriptor)
  return readGuarded(source, readableByOthers, {
    onOpen: () => warn(t('openFile', { name })),
    problem: (code) => t('unreadableFile', { name, code }),
  })
}

const readPort = (text: string, where: string) => portOf(text, t('port', { where, text }))

function nonEmpty(text: string | undefined, flag?: string): string | undefined {
  if (text === undefined || text.trim() !== '') return text
  if (flag === undefined) return undefined
  throw new UsageError(t('noValue', { flag, command }))
}

function firstSentence(text: string): string {
  return `${text.split('. ', 1)[0]!.replace(/\.$/, '')}.`
}
