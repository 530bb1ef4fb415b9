import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Opens the operator's browser if the platform has a program for it; the address is in the terminal anyway.
 * On Linux only with a display: a text browser would take over the terminal.
 */
export function openBrowser(url: string): void {
  const [command, args] = openerOf(process.env)
  if (command === null) return
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

function openerOf(env: NodeJS.ProcessEnv): [command: string | null, args: string[]] {
  if (process.platform === 'darwin') return ['/usr/bin/open', []]
  if (process.platform === 'win32') return ['rundll32.exe', ['url.dll,FileProtocolHandler']]
  const hasDisplay = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
  return [hasDisplay ? findProgram('xdg-open', env) : null, []]
}

function findProgram(name: string, env: NodeJS.ProcessEnv): string | null {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return null
}
