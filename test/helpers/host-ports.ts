import { AppError } from '#electron/contract/errors.ts'
import type { Ports } from '#electron/core/ports.ts'
import type { LogEntry } from '#electron/lib/log.ts'

/** Ports of a host that can only keep secrets in memory, and the log lines it received. */
export function createHostPorts(dataDir = 'data'): { ports: Ports; lines: LogEntry[] } {
  const values = new Map<string, string>()
  const lines: LogEntry[] = []
  const state = { kind: 'keychain' } as const
  const unsupported = (capability: string) => () =>
    Promise.reject(new AppError('UNSUPPORTED', { capability }))
  return {
    lines,
    ports: {
      dataDir,
      capabilities: [],
      secrets: {
        probe: () => Promise.resolve(state),
        state: () => Promise.resolve(state),
        get: (account) => Promise.resolve(values.get(account) ?? null),
        set: (account, value) => {
          values.set(account, value)
          return Promise.resolve(state)
        },
        delete: (account) => {
          values.delete(account)
          return Promise.resolve({ removed: true })
        },
        unsaved: () => Promise.resolve([]),
      },
      openSandbox: unsupported('sandbox'),
      openExternal: unsupported('external.open'),
      notify: unsupported('notify.native'),
      resolveProxies: () => Promise.resolve([null]),
      saveFile: unsupported('file.dialog'),
      log: (entry) => lines.push(entry),
    },
  }
}
