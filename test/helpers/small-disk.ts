import { spawnSync } from 'node:child_process'
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Only root can mount a small disk, and only on Linux. */
export const canMount = process.getuid?.() === 0 && process.platform === 'linux'
if (!canMount) console.log('not run: a small disk can only be mounted by root on Linux')

/** Moves a folder to a small disk, until the test ends. `size` as in `mount`: 8m. Returns whether that was possible. */
export function moveToSmallDisk(folder: string, size: string): boolean {
  const copy = mkdtempSync(join(tmpdir(), 'switchboard-copy-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(folder, copy, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder]).status !== 0)
    return false
  onTestFinished(() => void spawnSync('umount', ['-l', folder]))
  cpSync(copy, folder, { recursive: true })
  return true
}

/** Fills a disk with a file, but for `leftBytes`. */
export function fillDisk(file: string, leftBytes = 0): void {
  const handle = openSync(file, 'w')
  try {
    for (const bytes of [65_536, 4_096]) {
      try {
        for (;;) writeSync(handle, Buffer.alloc(bytes, 1))
      } catch {
        // Full.
      }
    }
  } finally {
    closeSync(handle)
  }
  truncateSync(file, statSync(file).size - leftBytes)
}
