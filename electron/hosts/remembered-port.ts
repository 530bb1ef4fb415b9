import { readFileSync, writeFileSync } from 'node:fs'

/** A port kept between runs, so addresses stay valid while it is free. */
export function rememberedPort(file: string): { read(): number; write(port: number): void } {
  return {
    /** 0 for none. */
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
