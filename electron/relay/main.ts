import { parseArgs } from 'node:util'
import { isAppError } from '../contract/errors.ts'
import { systemClock } from '../lib/clock.ts'
import { endOnSignal, exitCodes, ignoreTerminal, UsageError } from '../lib/command-line.ts'
import { isoTime, utcDay } from '../lib/iso-time.ts'
import { createLog } from '../lib/log.ts'
import { readConfig, readPlace } from './config.ts'
import { type Relay, startRelay } from './relay.ts'
import { openDocuments } from './storage.ts'
import type { Documents } from './documents.ts'
import { addToken, listTokens, revokeToken } from './tokens.ts'

const usage = `npm run relay -- [flags]                        run the relay
npm run relay -- token add NAME --inbox X       print a new token for a console, once
                        --read-only             it can't share holds with the team
npm run relay -- token add NAME --metrics       print a new token for /metrics, once
npm run relay -- token list                     list tokens
npm run relay -- token revoke NAME              revoke a token; its feeds end within seconds

Flags:
  --config FILE    inboxes, secrets and limits (JSON; see electron/relay/guide.md)
  --data-dir DIR   where deliveries and tokens are kept
  --store URL      keep them in NATS JetStream instead: nats://HOST:4222, several with commas
  --port N         port (default 8788; 0 for any free port)
  --host ADDRESS   address to listen on (default 127.0.0.1)
  --help           this text

Without --config there is one inbox, "main" at /webhooks. Its secret is in SWITCHBOARD_RELAY_SECRET,
or in the file that SWITCHBOARD_RELAY_SECRET_FILE names.`

const print = (text: string) => process.stdout.write(`${text}\n`)
const log = createLog(({ atMs, level, scope, message, data }) => {
  if (level !== 'debug') print(JSON.stringify({ time: isoTime(atMs), level, scope, message, ...data }))
}, 'relay')

type Flags = ReturnType<typeof readArgs>['values']

function readArgs() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'data-dir': { type: 'string' },
        store: { type: 'string' },
        config: { type: 'string' },
        inbox: { type: 'string' },
        metrics: { type: 'boolean' },
        'read-only': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. To specify')[0]!}.\n\n${usage}`)
  }
}

async function token(action: string | undefined, name: string | undefined, flags: Flags): Promise<void> {
  const { inboxes, ...place } = readPlace(flags)
  const { documents, close } = await openDocuments(place, systemClock, log)
  try {
    await changeTokens(documents, inboxes, action, name, flags)
  } finally {
    await close()
  }
}

async function changeTokens(
  documents: Documents,
  inboxes: readonly string[],
  action: string | undefined,
  name: string | undefined,
  flags: Flags,
): Promise<void> {
  if (action === 'list') return printTokens(documents)
  if (name === undefined || (action !== 'add' && action !== 'revoke')) throw new UsageError(usage)
  if (action === 'revoke') {
    await revokeToken(documents, name, Date.now())
    print(`Token "${name}" is revoked. A running relay closes its feeds within seconds.`)
    return
  }
  if ((flags.inbox === undefined) === !flags.metrics)
    throw new UsageError(
      'Say what the token is for: --inbox NAME for a console, or --metrics. Nothing was added.',
    )
  if (flags.inbox !== undefined && inboxes.length > 0 && !inboxes.includes(flags.inbox))
    throw new UsageError(
      `The config file has no inbox "${flags.inbox}". Nothing was added. Its inboxes: ${inboxes.join(', ')}.`,
    )
  const created = await addToken(documents, name, flags.inbox ?? null, Date.now(), flags['read-only'])
  print(`${created}\n\nThis is shown once. Copy it to the console now.`)
}

function printTokens(documents: Documents): void {
  const tokens = listTokens(documents)
  if (tokens.length === 0) print('No tokens. Add one: token add NAME --inbox X')
  for (const { name, inbox, createdMs, revokedMs, readOnly } of tokens)
    print(
      `${name.padEnd(24)} ${(inbox ?? '(metrics)').padEnd(24)} added ${utcDay(createdMs)}${readOnly ? ', read only' : ''}${revokedMs === null ? '' : `, revoked ${utcDay(revokedMs)}`}`,
    )
}

/** The sentence for a failed start, null when only the log can explain it, and the exit code. */
function sentenceFor(error: unknown): [string | null, number] {
  if (error instanceof UsageError) return [error.message, exitCodes.usage]
  if (!isAppError(error)) return [null, exitCodes.failed]
  const { port, pid } = error.data
  switch (error.code) {
    case 'OTHER_INSTANCE':
      return [
        `Another relay uses this data folder (process ${String(pid)}). Nothing was started. Stop it, or choose another --data-dir.`,
        exitCodes.otherInstance,
      ]
    case 'PORT_TAKEN':
      return [
        `Port ${String(port)} is in use by another program. Nothing was started. Stop that program, or choose another --port.`,
        exitCodes.failed,
      ]
    case 'PORT_FORBIDDEN':
      return [
        `Your account may not use port ${String(port)}. Nothing was started. Choose one above 1023 with --port.`,
        exitCodes.failed,
      ]
    case 'ADDRESS_UNAVAILABLE':
      return [
        `This machine has no address ${String(error.data['address'])}. Nothing was started. Choose another --host.`,
        exitCodes.failed,
      ]
    default:
      return [error.message, exitCodes.failed]
  }
}

function fail(error: unknown): never {
  const [sentence, exitCode] = sentenceFor(error)
  if (sentence === null) log.error('The relay failed. Stored deliveries are safe.', { error })
  else process.stderr.write(`${sentence}\n`)
  process.exit(exitCode)
}

async function run(flags: Flags): Promise<void> {
  const config = readConfig(flags, process.env)
  let relay: Relay | null = null
  endOnSignal(() => {
    if (relay === null) process.exit(exitCodes.clean)
    relay.stop().then(() => {
      log.info('Stopped')
      process.exit(exitCodes.clean)
    }, fail)
  })
  relay = await startRelay(config, { clock: systemClock, log })
  const host = relay.address.includes(':') ? `[${relay.address}]` : relay.address
  log.info('Relay ready', {
    url: `${config.tls ? 'https' : 'http'}://${host}:${relay.port}`,
    inboxes: config.inboxes.map(({ name, path }) => ({ name, path })),
  })
}

process.umask(0o077)
ignoreTerminal()
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
try {
  const { values, positionals } = readArgs()
  const [command, action, name, ...rest] = positionals
  if (values.help) print(usage)
  else if (command === undefined) await run(values)
  else if (command === 'token' && rest.length === 0) await token(action, name, values)
  else throw new UsageError(`There is no command "${positionals.join(' ')}".\n\n${usage}`)
} catch (error) {
  fail(error)
}
