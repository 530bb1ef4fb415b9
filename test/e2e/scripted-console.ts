import { AxeBuilder } from '@axe-core/playwright'
import { type Page, test as base, expect } from '@playwright/test'
import { resolve } from 'node:path'
import { type ScriptChanges, type ScriptedCore, startScriptedCore } from '../helpers/scripted-core.ts'

/** The renderer as `npm run build` leaves it, or the one in `SWITCHBOARD_RENDERER_DIR`. */
export const rendererDir =
  process.env['SWITCHBOARD_RENDERER_DIR'] ?? resolve(import.meta.dirname, '../../out/renderer')

/** A browser page before a scripted core. The page's own errors and warnings fail the test. */
export const test = base.extend<{
  /** Starts a scripted core for this test; it is stopped afterwards. */
  scripted: (script?: ScriptChanges, options?: { contacts?: number }) => Promise<ScriptedCore>
  troubles: string[]
}>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
  scripted: async ({}, use) => {
    const started: ScriptedCore[] = []
    await use(async (script = {}, options = {}) => {
      const core = await startScriptedCore({ rendererDir, script, ...options })
      started.push(core)
      return core
    })
    await Promise.all(started.map((core) => core.stop()))
  },
  troubles: [
    async ({ page }, use) => {
      const troubles: string[] = []
      page.on('pageerror', (error) => troubles.push(error.message))
      page.on('dialog', (dialog) => {
        troubles.push(`a dialog opened: ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('console', (message) => {
        const isLostSocket = message.text().includes('WebSocket connection')
        if (['error', 'warning'].includes(message.type()) && !isLostSocket) troubles.push(message.text())
      })
      await use(troubles)
      expect(troubles).toEqual([])
    },
    { auto: true },
  ],
})

/** Fails on any finding of axe, in the dark and the light scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator('html')).toHaveAttribute('data-scheme', colorScheme)
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html ?? ''}`)
    expect(found).toEqual([])
  }
}

export { expect }
