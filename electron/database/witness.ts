import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * A side file that remembers what a database holds. SQLite's integrity check passes a deleted `-wal`, a
 * restored old copy or a deleted file; the witness shows the missing rows.
 */
export interface Witness {
  /** Highest sequence number given, 0 for none. */
  lastSeq: number
  /** Highest one stored; lower once later ones are known to be lost. */
  storedSeq: number
  /** Numbers up to `storedSeq` known to be missing: never given, or lost earlier. */
  missing: number
}

export const emptyWitness: Witness = { lastSeq: 0, storedSeq: 0, missing: 0 }

/** Overwritten in place and whole, so a reader never sees half of an older line. */
const lineBytes = 96

export const witnessFile = (file: string): string => `${file}.witness`

/** Null when missing or unreadable. */
export function readWitness(file: string): Witness | null {
  let text: string
  try {
    text = readFileSync(witnessFile(file), 'latin1')
  } catch {
    return null
  }
  const match = /^seq (\d{1,15}) stored (\d{1,15}) missing (\d{1,15}) at \d+ *\n$/.exec(text)
  return match && { lastSeq: Number(match[1]), storedSeq: Number(match[2]), missing: Number(match[3]) }
}

/**
 * Opens the witness of `file` for writing. `write` takes about 2 µs: it reaches the kernel, so it survives
 * the process, but is not synced. Call it only after the commit it describes.
 */
export function openWitness(file: string): { write(witness: Witness): void; close(): void } {
  const fd = openSync(witnessFile(file), constants.O_RDWR | constants.O_CREAT, 0o600)
  const line = Buffer.alloc(lineBytes)
  let open = true
  return {
    write({ lastSeq, storedSeq, missing }) {
      line.fill(0x20)
      line.write(`seq ${lastSeq} stored ${storedSeq} missing ${missing} at ${Date.now()}`, 'latin1')
      line[lineBytes - 1] = 0x0a
      writeSync(fd, line, 0, lineBytes, 0)
    },
    close() {
      if (open) closeSync(fd)
      open = false
    },
  }
}

export function writeWitness(file: string, state: Witness): void {
  const witness = openWitness(file)
  try {
    witness.write(state)
  } finally {
    witness.close()
  }
}
