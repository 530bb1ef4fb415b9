import { readdirSync } from 'node:fs'
import { arch, homedir, release, type } from 'node:os'
import { join } from 'node:path'
import type { SecretsView } from '../../../contract/connection/connections.ts'
import type { Phrase, PhraseKey, Said } from '../../../contract/phrases.ts'
import type { DiagnosticFact } from '../../../contract/platform/settings.ts'
import { sizeOnDisk } from '../../../database/files.ts'
import { isMarkedDamaged } from '../../../database/full-check.ts'
import { schemaVersion } from '../../../database/migrate.ts'
import { openReader } from '../../../database/open.ts'
import { connectionDir } from '../connection-files.ts'
import type { OpenConnection } from '../open-connection.ts'

/** A path with the home folder as `~`, because the folder's name is often a person's. */
export function shortened(path: string, home = homedir()): string {
  return path === home || path.startsWith(`${home}/`) || path.startsWith(`${home}\\`)
    ? `~${path.slice(home.length)}`
    : path
}

/** Size, schema and last check of a database. */
function database(file: string, checkedAt: string): Phrase {
  try {
    const { db, close } = openReader(file)
    try {
      return {
        key: isMarkedDamaged(file) ? 'diagnostics.damaged' : 'diagnostics.checked',
        mib: Math.round((sizeOnDisk(file) / 1024 / 1024) * 10) / 10,
        schema: String(schemaVersion(db)),
        time: checkedAt,
      }
    } finally {
      close()
    }
  } catch {
    return { key: 'diagnostics.unreadable' }
  }
}

/** A fact with a name of the catalogue. */
const fact = (name: PhraseKey & `diagnostics.${string}`, value: Said): DiagnosticFact => ({
  name: { key: name },
  value,
})

const none: Phrase = { key: 'diagnostics.none' }

/**
 * Facts for support. Never a secret, a user name, a connection name or the home folder's name. The service appears as its origin,
 * a proxy as its host.
 */
export async function readDiagnostics(parts: {
  version: string
  versions: readonly { name: string; version: string }[]
  capabilities: readonly string[]
  dataDir: string
  /** When this core started and checked its databases. */
  startedAt: string
  secrets: SecretsView
  open: OpenConnection | null
  proxyHost: (url: string) => Promise<string | null>
}): Promise<DiagnosticFact[]> {
  const { open, dataDir, startedAt, secrets } = parts
  const facts: DiagnosticFact[] = [
    { name: 'Switchboard', value: parts.version },
    ...parts.versions.map(({ name, version }) => ({ name, value: version })),
    fact('diagnostics.system', `${type()} ${release()} ${arch()}`),
    fact('diagnostics.features', parts.capabilities.join(', ') || none),
    fact('diagnostics.dataFolder', shortened(dataDir)),
    fact(
      'diagnostics.keychain',
      secrets.kind === 'keychain'
        ? { key: 'diagnostics.available' }
        : { key: 'diagnostics.unavailable', code: secrets.problem?.code ?? '–' },
    ),
    { name: 'console.db', value: database(join(dataDir, 'console.db'), startedAt) },
  ]
  if (!open) return facts
  const { id, baseUrl } = open.connection()
  const dir = connectionDir(dataDir, id)
  for (const file of readdirSync(dir).filter((name) => name.endsWith('.db')))
    facts.push({ name: file, value: database(join(dir, file), open.openedAt) })
  const listener = open.features.listener.status()
  const network = open.network.state()
  const { usedByUs, usedByOthers, limitPerMinute, remaining } = open.client.budget.snapshot()
  const proxy = await parts.proxyHost(baseUrl).catch(() => null)
  return [
    ...facts,
    fact('diagnostics.service', new URL(baseUrl).origin),
    fact(
      'diagnostics.serviceState',
      network.problem?.code ?? {
        key: network.reachable === null ? 'diagnostics.notContacted' : 'diagnostics.reachable',
      },
    ),
    fact('diagnostics.lastResponse', network.lastAnswerAt ?? none),
    fact('diagnostics.signIn', {
      key: 'diagnostics.signInState',
      kind: { key: `signIn.${open.credentials.kind}` },
      state: { key: `signIn.${open.credentials.state().status}` },
    }),
    fact('diagnostics.proxy', proxy ?? none),
    fact('diagnostics.requests', {
      key: 'diagnostics.requestsUsed',
      used: usedByUs + usedByOthers,
      limit: limitPerMinute,
      left: remaining,
    }),
    fact('diagnostics.listener', listener.problem?.code ?? { key: `listenerState.${listener.state}` }),
    fact('diagnostics.port', listener.url === null ? none : new URL(listener.url).port),
    fact('diagnostics.lastDelivery', listener.lastDeliveryAt ?? none),
  ]
}
