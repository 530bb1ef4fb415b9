import { parseArgs } from 'node:util'
import type { CoreConfig } from '../core/create-core.ts'

/** What the command line and the environment ask of a host. The desktop host has no web server and opens no browser. */
export interface HostSettings {
  /** Port of the web server; 0 takes a free one. */
  port: number
  /** As given; null for the platform's own place. */
  dataDir: string | null
  openBrowser: boolean
  startWith: CoreConfig['startWith']
  listenerPort: number | null
}

/** A command line or environment that cannot be followed. The message is the operator's sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const usage =
  'Usage: npm run serve -- [--port N] [--data-dir DIR] [--connection NAME] [--sandbox] [--no-open]'

/** The variables that a host reads. Secrets among them are to be taken out of the environment after reading. */
export const secretVariables = ['SWITCHBOARD_API_KEY', 'SWITCHBOARD_WEBHOOK_SECRET'] as const

/** Reads the settings. Throws a `UsageError` for what is unknown, incomplete or contradicts itself. */
export function readSettings(args: string[], env: NodeJS.ProcessEnv): HostSettings {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new UsageError(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 would let anyone read the sign-in. Nothing was started. Unset it; for a private certificate authority set NODE_EXTRA_CA_CERTS.',
    )
  }
  const flags = readFlags(args)
  return {
    port: flags.port === undefined ? 0 : portOf(flags.port, '--port'),
    dataDir: nonEmpty(flags['data-dir'], '--data-dir') ?? nonEmpty(env['SWITCHBOARD_DATA_DIR']) ?? null,
    openBrowser: !flags['no-open'],
    startWith: startOf(flags, env),
    listenerPort: env['SWITCHBOARD_LISTENER_PORT']
      ? portOf(env['SWITCHBOARD_LISTENER_PORT'], 'SWITCHBOARD_LISTENER_PORT')
      : null,
  }
}

/**
 * The settings of the desktop host. Its command line is Chromium's as well, and names the app's folder when it is not packaged:
 * only flags of ours are taken from it, the rest is left alone. Throws a `UsageError` as above, and for a flag that only the
 * browser host can follow.
 */
export function readDesktopSettings(args: string[], env: NodeJS.ProcessEnv): HostSettings {
  const { tokens } = parseArgs({ args, options: flagTypes, strict: false, tokens: true })
  const own = tokens.filter((token) => token.kind === 'option').filter(({ name }) => name in flagTypes)
  const foreign = own.find(({ name }) => name === 'port' || name === 'no-open')
  if (foreign) {
    throw new UsageError(
      `${foreign.rawName} is for the console in the browser. Nothing was started. Leave it out, or use npm run serve.`,
    )
  }
  const ownArgs = own.flatMap(({ rawName, value, inlineValue }) =>
    value === undefined ? [rawName] : inlineValue ? [`${rawName}=${value}`] : [rawName, value],
  )
  return readSettings(ownArgs, env)
}

/** Flags of the command line, for `parseArgs`. */
export const flagTypes = {
  port: { type: 'string' },
  'data-dir': { type: 'string' },
  connection: { type: 'string' },
  sandbox: { type: 'boolean' },
  'no-open': { type: 'boolean' },
} as const

interface Flags {
  port?: string | undefined
  'data-dir'?: string | undefined
  connection?: string | undefined
  sandbox?: boolean | undefined
  'no-open'?: boolean | undefined
}

function readFlags(args: string[]): Flags {
  try {
    return parseArgs({ args, options: flagTypes }).values
  } catch (error) {
    throw new UsageError(`${firstSentence((error as Error).message)} Nothing was started. ${usage}`)
  }
}

function startOf(flags: Flags, env: NodeJS.ProcessEnv): CoreConfig['startWith'] {
  const name = nonEmpty(flags.connection, '--connection')
  const baseUrl = nonEmpty(env['SWITCHBOARD_BASE_URL'])
  const apiKey = nonEmpty(env['SWITCHBOARD_API_KEY'])
  const webhookSecret = nonEmpty(env['SWITCHBOARD_WEBHOOK_SECRET'])
  const asked = [
    ...(name === undefined ? [] : ['--connection']),
    ...(flags.sandbox ? ['--sandbox'] : []),
    ...(baseUrl === undefined && apiKey === undefined
      ? []
      : ['SWITCHBOARD_BASE_URL and SWITCHBOARD_API_KEY']),
  ]
  if (asked.length > 1) {
    throw new UsageError(
      `${asked.join(' and ')} name different services. Nothing was started. Keep one of them.`,
    )
  }
  if (name !== undefined) return { kind: 'connection', name }
  if (flags.sandbox) return { kind: 'sandbox' }
  if (baseUrl !== undefined && apiKey !== undefined) {
    return { kind: 'unattended', baseUrl, apiKey, ...(webhookSecret === undefined ? {} : { webhookSecret }) }
  }
  if (baseUrl !== undefined || apiKey !== undefined) {
    throw new UsageError(
      `SWITCHBOARD_${baseUrl === undefined ? 'BASE_URL' : 'API_KEY'} is missing. Nothing was started. Set SWITCHBOARD_BASE_URL and SWITCHBOARD_API_KEY together, or neither.`,
    )
  }
  return { kind: 'last' }
}

function portOf(text: string, where: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (port <= 65_535) return port
  throw new UsageError(`${where} must be a port from 0 to 65535, not "${text}". Nothing was started.`)
}

function nonEmpty(text: string | undefined, flag?: string): string | undefined {
  if (text === undefined || text.trim() !== '') return text
  if (flag === undefined) return undefined
  throw new UsageError(`${flag} needs a value. Nothing was started. ${usage}`)
}

function firstSentence(text: string): string {
  return `${text.split('. ', 1)[0]!.replace(/\.$/, '')}.`
}
