import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Electron’s instance lock: one app per `userData`; each later one notifies the first. */
export interface SingleInstance {
  /** False when another process has it, which is then notified. */
  request(
    additionalData: object | undefined,
    onSecond: (argv: string[], cwd: string, data: unknown) => void,
  ): boolean
  /** Resolves once the first one was notified. */
  notified(): Promise<void>
  release(): void
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export function createSingleInstance(userData: () => string): SingleInstance {
  let owned: { lockFile: string; socketFile: string } | null = null
  let notifying: Promise<void> = Promise.resolve()

  return {
    request(additionalData, onSecond) {
      if (owned) return true
      const lockFile = join(userData(), 'DoubleSingletonLock')
      const socketFile = join(
        tmpdir(),
        `${createHash('sha256').update(userData()).digest('hex').slice(0, 16)}.sock`,
      )
      try {
        const pid = Number(readFileSync(lockFile, 'utf8'))
        if (isAlive(pid)) {
          notifying = new Promise((resolve) => {
            const socket = createConnection(socketFile, () =>
              socket.end(JSON.stringify({ argv: process.argv, cwd: process.cwd(), data: additionalData })),
            )
            socket.once('error', () => resolve())
            socket.once('close', () => resolve())
          })
          return false
        }
      } catch {
        // Free.
      }
      rmSync(socketFile, { force: true })
      writeFileSync(lockFile, String(process.pid))
      const server = createServer((socket) => {
        let text = ''
        socket.on('data', (data) => (text += data.toString()))
        socket.on('end', () => {
          const { argv, cwd, data } = JSON.parse(text) as { argv: string[]; cwd: string; data: unknown }
          onSecond(argv, cwd, data)
        })
      })
      server.listen(socketFile)
      server.unref()
      owned = { lockFile, socketFile }
      return true
    },
    notified: () => notifying,
    release() {
      if (!owned) return
      rmSync(owned.lockFile, { force: true })
      rmSync(owned.socketFile, { force: true })
      owned = null
    },
  }
}
