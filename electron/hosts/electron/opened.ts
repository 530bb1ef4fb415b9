import type { App } from 'electron'
import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tableFileName } from '../../contract/table-files.ts'
import type { HostRequest } from '../../core/connection/desktop/desktop.service.ts'
import { flagTypes } from '../settings.ts'

const scheme = 'switchboard'

/** Links and tables among the arguments. The rest of the command line belongs to Electron and Chromium. */
export function openedByArguments(args: readonly string[], cwd: string): HostRequest[] {
  const { positionals } = parseArgs({
    args: [...args],
    options: flagTypes,
    strict: false,
    allowPositionals: true,
  })
  return positionals.flatMap((argument): HostRequest[] => {
    if (/^switchboard:/i.test(argument)) return [{ kind: 'link', link: argument }]
    const path = pathOf(argument)
    return path !== null && tableFileName.test(path) ? [{ kind: 'file', path: resolve(cwd, path) }] : []
  })
}

/** Linux file managers pass `file:` addresses, because the desktop entry takes links too. Null for one without a path. */
function pathOf(argument: string): string | null {
  if (!/^file:/i.test(argument)) return argument
  try {
    return fileURLToPath(argument)
  } catch {
    return null
  }
}

/** Arguments after the program, and after the app's folder when unpackaged. */
export const ownArguments = (app: App) => process.argv.slice(app.isPackaged ? 1 : 2)

/** Data of a second start. Electron reorders its own copy of the command line (its docs, `second-instance`). */
interface HandedOver {
  args: string[]
  cwd: string
}

function isHandedOver(data: unknown): data is HandedOver {
  if (typeof data !== 'object' || data === null || !('args' in data) || !('cwd' in data)) return false
  const { args, cwd } = data
  return (
    typeof cwd === 'string' && Array.isArray(args) && args.every((argument) => typeof argument === 'string')
  )
}

/**
 * Collects what the operator opens with Switchboard: arguments of this and later starts, and macOS's
 * `open-file` and `open-url`, which come before the app is ready. Requests wait for `deliverTo`.
 */
export function collectOpened(app: App): {
  deliverTo(take: (request: HostRequest) => void, showWindow: () => void): void
} {
  const waiting = openedByArguments(ownArguments(app), process.cwd())
  let deliver: ((requests: HostRequest[]) => void) | null = null
  const open = (requests: HostRequest[]) => {
    if (deliver) deliver(requests)
    else waiting.push(...requests)
  }

  app.on('open-file', (event, path) => {
    event.preventDefault()
    open([{ kind: 'file', path }])
  })
  app.on('open-url', (event, link) => {
    event.preventDefault()
    open([{ kind: 'link', link }])
  })
  app.on('second-instance', (_event, _argv, _cwd, data) => {
    open(isHandedOver(data) ? openedByArguments(data.args, data.cwd) : [])
  })
  // Unpackaged, this would register Electron itself. macOS reads the scheme from the bundle.
  if (app.isPackaged) app.setAsDefaultProtocolClient(scheme)

  return {
    deliverTo(take, showWindow) {
      for (const request of waiting.splice(0)) take(request)
      deliver = (requests) => {
        for (const request of requests) take(request)
        showWindow()
      }
    },
  }
}
