import type { FullConfig } from '@playwright/test'
import { whyNotElectron } from './desktop.ts'

/** Says once per run that the desktop specs are skipped in Electron, and why. */
export default function beforeTheRun({ projects }: FullConfig): void {
  const reason = whyNotElectron()
  if (reason === null || !projects.some(({ name }) => name === 'electron-real')) return
  console.log(`The desktop specs are skipped in Electron itself: ${reason}. They run over its double.`)
}
