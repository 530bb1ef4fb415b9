import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * A side file that remembers what a database is known to hold. A deleted `-wal`, a restored old copy or a deleted file all
 * pass SQLite's integrity check with rows missing; compared with the witness they are seen.
 */
export interface Witness {
  /** The highest sequence number given, 0 where the database has none. */
  lastSeq: number
  /** The highest one that is stored: lower once the loss of later ones is known. */
  storedSeq: number
  /** Numbers up to `storedSeq` that are known not to be there: never given, or lost earlier. */
  missing: number
}

/** That of a database that holds nothing with a number. */
export const emptyWitness: Witness = { lastSeq: 0, storedSeq: 0, missing: 0 }

/** Width of the only line: always overwritten in place and whole, so a reader never sees half of an older one. */
const lineBytes = 96

export const witnessFile = (file: string): string => `${file}.witness`

/** What the witness of `file` says, or null when there is none or it cannot be read as one. */
export function readWitness(file: string): Witness | null {
  let text: string
  try {
    text = readFileSync(witnessFile(file), 'latin1')
  } catch {
    return null
  }
  const match = /^seq (\d{1,15})(?: stored (\d{1,15}) missing (\d{1,15}) at)? \d+ *\n$/.exec(text)
  if (!match) return null
  const lastSeq = Number(match[1])
  // The first version of this file had the number alone.
  return { lastSeq, storedSeq: Number(match[2] ?? lastSeq), missing: Number(match[3] ?? 0) }
}

/**
 * Opens the witness of `file` for writing. `write` costs about two microseconds: it reaches the kernel (so it survives the
 * process), is not synced, and may only ever be called after the commit it speaks of.
 */
export function openWitness(file: string): { write(witness: Witness): void; close(): void } {
  const fd = openSync(witnessFile(file), 'a+', 0o600)
  closeSync(fd)
  const target = openSync(witnessFile(file), 'r+', 0o600)
  const line = Buffer.alloc(lineBytes)
  let open = true
  return {
    write({ lastSeq, storedSeq, missing }) {
      line.fill(0x20)
      line.write(`seq ${lastSeq} stored ${storedSeq} missing ${missing} at ${Date.now()}`, 'latin1')
      line[lineBytes - 1] = 0x0a
      writeSync(target, line, 0, lineBytes, 0)
    },
    close() {
      if (open) closeSync(target)
      open = false
    },
  }
}

/** Writes the witness once. */
export function writeWitness(file: string, witness: Witness): void {
  const open = openWitness(file)
  try {
    open.write(witness)
  } finally {
    open.close()
  }
}
