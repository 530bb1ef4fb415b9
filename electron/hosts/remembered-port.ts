import { readFileSync, writeFileSync } from 'node:fs'

/** The port that something of this profile had last time, so that addresses given out go on working where it is free again. */
export function rememberedPort(file: string): { read(): number; write(port: number): void } {
  return {
    /** 0 when there is none. */
    read() {
      try {
        const port = Number(readFileSync(file, 'utf8'))
        return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0
      } catch {
        return 0
      }
    },
    write: (port) => writeFileSync(file, String(port), { mode: 0o600 }),
  }
}
