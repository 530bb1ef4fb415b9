import { parseArgs } from 'node:util'
import { faultTable } from './faults/fault-table.ts'
import type { SandboxOptions } from './sandbox.ts'

export const usage = `npm run sandbox -- [flags]
  --port N                   port to listen on (default 8480; 0 for any free port)
  --seed N                   seed of the records and the traffic (default 1)
  --rate N                   dlr and mo events per second (default 20)
  --dnc N                    DNC entries (default 250)
  --contacts N               contacts (default 500)
  --fault NAME               start with a fault; an unknown name lists them all
  --state FILE               keep state in this file between runs
  --no-rate-limit            no limit on requests
  --rate-limit N             requests per minute and tenant (default 200)
  --access-token-seconds N   lifetime of an access token (default 900)
  --no-traffic               create no messages
  --no-history               don't send a first subscription the last half hour's events
  --allow-remote-webhooks    deliver webhooks to other machines too
  --help                     this text`

export type CliAnswer =
  | { kind: 'run'; options: SandboxOptions }
  | { kind: 'help' }
  | { kind: 'refused'; message: string }

const defaultPort = 8_480

/** Reads the command line. Unknown or invalid flags are refused with a sentence. */
export function readCliOptions(args: string[]): CliAnswer {
  try {
    return read(args)
  } catch (error) {
    return { kind: 'refused', message: (error as Error).message.split('. To specify')[0]! }
  }
}

function whole(name: string, value: string | undefined, fallback: number, most: number, least = 0): number {
  if (value === undefined) return fallback
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < least || number > most)
    throw new Error(`--${name} must be a whole number from ${least} to ${most}, not "${value}"`)
  return number
}

function read(args: string[]): CliAnswer {
  const { values } = parseArgs({
    args,
    strict: true,
    allowPositionals: false,
    options: {
      port: { type: 'string' },
      seed: { type: 'string' },
      rate: { type: 'string' },
      dnc: { type: 'string' },
      contacts: { type: 'string' },
      fault: { type: 'string' },
      state: { type: 'string' },
      'no-rate-limit': { type: 'boolean' },
      'rate-limit': { type: 'string' },
      'access-token-seconds': { type: 'string' },
      'no-traffic': { type: 'boolean' },
      'no-history': { type: 'boolean' },
      'allow-remote-webhooks': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return { kind: 'help' }
  if (values.fault !== undefined && !faultTable.some((fault) => fault.name === values.fault))
    throw new Error(
      `--fault: there is no fault "${values.fault}". Known: ${faultTable.map((fault) => fault.name).join(', ')}`,
    )
  if (values['no-rate-limit'] && values['rate-limit'] !== undefined)
    throw new Error('--no-rate-limit and --rate-limit contradict each other')
  if (values.state === '') throw new Error('--state needs the name of a file')
  return {
    kind: 'run',
    options: {
      port: whole('port', values.port, defaultPort, 65_535),
      seed: whole('seed', values.seed, 1, 4_294_967_295),
      ratePerSecond: whole('rate', values.rate, 20, 20_000),
      dncCount: whole('dnc', values.dnc, 250, 1_000_000),
      contactsCount: whole('contacts', values.contacts, 500, 1_000_000),
      rateLimitPerMinute: values['no-rate-limit']
        ? null
        : whole('rate-limit', values['rate-limit'], 200, 1_000_000, 1),
      accessTokenSeconds: whole('access-token-seconds', values['access-token-seconds'], 900, 86_400, 1),
      traffic: !values['no-traffic'],
      history: !values['no-traffic'] && !values['no-history'],
      allowRemoteWebhooks: values['allow-remote-webhooks'] ?? false,
      ...(values.fault === undefined ? {} : { fault: values.fault }),
      ...(values.state === undefined ? {} : { stateFile: values.state }),
    },
  }
}
