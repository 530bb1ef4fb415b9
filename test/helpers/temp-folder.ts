import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder of mode 0700, deleted after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
