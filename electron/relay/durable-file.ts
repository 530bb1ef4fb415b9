import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

/** Replaces a small file whole or not at all, synced, mode 0600. */
export function writeDurably(file: string, text: string): void {
  const draft = `${file}.${process.pid}.new`
  const fd = openSync(draft, 'w', 0o600)
  try {
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, file)
}
