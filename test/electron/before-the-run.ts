import type { FullConfig } from '@playwright/test'
import { rmSync } from 'node:fs'
import { usesFolder, whyNotElectron } from './desktop.ts'

/** Deletes the notes of an earlier run about Electron. Says once per run that the desktop specs are skipped in Electron, and why. */
export default function beforeTheRun({ projects }: FullConfig): void {
  rmSync(usesFolder, { recursive: true, force: true })
  const reason = whyNotElectron()
  if (reason === null || !projects.some(({ name }) => name === 'electron-real')) return
  console.log(`The desktop specs are skipped in Electron itself: ${reason}. They run over its double.`)
}
