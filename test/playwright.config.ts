import { defineConfig } from '@playwright/test'
import { resolve } from 'node:path'
import type { DesktopProject } from './electron/fixtures.ts'
import { chromiumPath } from './helpers/chromium.ts'
import { keepTempInMemory } from './helpers/temp-in-memory.ts'

keepTempInMemory()

// As in the tests of threads: sources are kept compiled.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../node_modules/.cache/node-compile')

const testMatch = 'electron/**/*.spec.ts'
// Vite compiles every source of the page for it, so `npm test` leaves it to CI.
const testIgnore = process.env['CI'] ? [] : ['electron/dev.spec.ts']

// Consoles run as they were built: they start in two thirds of the processor time that their sources take.
process.env['SWITCHBOARD_TEST_HOST'] ??= resolve(import.meta.dirname, '../out/main/node-host.js')

export default defineConfig<object, DesktopProject>({
  testDir: '.',
  globalSetup: './electron/before-the-run.ts',
  // In the order in which they start: packing takes longest, and short files fill the end.
  projects: [
    { name: 'package', testMatch: 'package/**/*.spec.ts' },
    // The same files twice: over the double everywhere, and in Electron where its binary and a display are. One worker shares its desktop.
    { name: 'electron-double', testMatch, testIgnore, workers: 1, use: { desktopKind: 'double' } },
    { name: 'electron-real', testMatch, testIgnore, workers: 1, use: { desktopKind: 'real' } },
    { name: 'browser', testMatch: 'e2e/**/*.spec.ts' },
  ],
  outputDir: '../test-results/playwright',
  fullyParallel: false,
  // As in vitest: one more than the smallest machine has cores, for many specs wait for processes.
  workers: 3,
  // Long enough for a machine that is three times slower for a while; a hang still shows.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: process.env['CI'] !== undefined,
  // A test that passes only at its second try is named by `.ci/run`.
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['list'], ['json', { outputFile: '../test-results/playwright.json' }]],
  use: {
    // As long as an expectation: a click that finds nothing ends its test before the time of the whole test is over.
    actionTimeout: 30_000,
    viewport: { width: 1440, height: 900 },
    // Every frame of an animation is drawn without a GPU.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: chromiumPath(),
      // Chromium refuses its sandbox as root; the other flags keep it from calling home.
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        // A page lives too briefly for optimised code, helper threads of the collector or partly kept tiles to pay off: 8 % less time.
        '--disable-partial-raster',
        '--js-flags=--no-opt --no-maglev --single-threaded-gc',
      ],
    },
  },
})
