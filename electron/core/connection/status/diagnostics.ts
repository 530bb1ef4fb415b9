import { readdirSync } from 'node:fs'
import { arch, homedir, release, type } from 'node:os'
import { join } from 'node:path'
import type { SecretsView } from '../../../contract/connection/connections.ts'
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

const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

function database(file: string, checkedAt: string): string {
  const { db, close } = openReader(file)
  try {
    const checked = isMarkedDamaged(file) ? 'damage found' : `checked ${checkedAt}`
    return `${mib(sizeOnDisk(file))}, schema ${schemaVersion(db)}, ${checked}`
  } finally {
    close()
  }
}

const attempt = (read: () => string): string => {
  try {
    return read()
  } catch {
    return 'unreadable'
  }
}

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
    { name: 'System', value: `${type()} ${release()} ${arch()}` },
    { name: 'Host features', value: parts.capabilities.join(', ') || 'browser' },
    { name: 'Data folder', value: shortened(dataDir) },
    {
      name: 'Keychain',
      value:
        secrets.kind === 'keychain' ? 'available' : `unavailable (${secrets.problem?.code ?? 'unknown'})`,
    },
    { name: 'console.db', value: attempt(() => database(join(dataDir, 'console.db'), startedAt)) },
  ]
  if (!open) return facts
  const { id, baseUrl } = open.connection()
  const dir = connectionDir(dataDir, id)
  for (const file of readdirSync(dir).filter((name) => name.endsWith('.db')))
    facts.push({ name: file, value: attempt(() => database(join(dir, file), open.openedAt)) })
  const listener = open.features.listener.status()
  const network = open.network.state()
  const { usedByUs, usedByOthers, limitPerMinute, remaining } = open.client.budget.snapshot()
  const proxy = await parts.proxyHost(baseUrl).catch(() => null)
  return [
    ...facts,
    { name: 'Service', value: new URL(baseUrl).origin },
    {
      name: 'Service state',
      value: network.problem?.code ?? (network.reachable === null ? 'not asked yet' : 'reachable'),
    },
    { name: 'Last answer', value: network.lastAnswerAt ?? 'none' },
    { name: 'Sign-in', value: `${open.credentials.kind}, ${open.credentials.state().status}` },
    { name: 'Proxy', value: proxy ?? 'none' },
    {
      name: 'Rate limit',
      value: `${usedByUs + usedByOthers} of ${limitPerMinute} used, ${remaining} left`,
    },
    {
      name: 'Listener',
      value: [
        listener.state,
        listener.url === null ? null : `port ${new URL(listener.url).port}`,
        listener.problem?.code ?? null,
      ]
        .filter((part) => part !== null)
        .join(', '),
    },
    { name: 'Last delivery', value: listener.lastDeliveryAt ?? 'none' },
  ]
}
