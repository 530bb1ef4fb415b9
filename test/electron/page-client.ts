import type { Page } from '@playwright/test'
import { join } from 'node:path'
import { build } from 'vite'

let source: Promise<string> | null = null

async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, 'in-page/rpc.ts'), formats: ['iife'], name: 'inPage' },
    },
  })
  const [output] = Array.isArray(built) ? built : [built]
  if (!output || !('output' in output)) throw new Error('The client for the page was not built')
  return output.output[0].code
}

/** Adds `openPort` and `openRpc` to the page through the debugger: the content policy blocks a test’s scripts. */
export async function putClientInto(page: Page): Promise<void> {
  source ??= bundle()
  await page.evaluate(await source)
}
