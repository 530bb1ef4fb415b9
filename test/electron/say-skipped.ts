import type { FullConfig } from '@playwright/test'
import { whyNotElectron } from './desktop.ts'

/** Says once per run, whatever number of workers, that the desktop specs are skipped in Electron itself, and why. */
export default function saySkipped({ projects }: FullConfig): void {
  const reason = whyNotElectron()
  if (reason === null || !projects.some(({ name }) => name === 'electron-real')) return
  console.log(`The desktop specs are skipped in Electron itself: ${reason}. They run over its double.`)
}
