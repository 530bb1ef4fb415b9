import vue from '@vitejs/plugin-vue'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { compileCatalogues } from '../renderer/compile-catalogues.ts'
import { bundledThreads } from './helpers/bundled-threads.ts'
import { keepTempInMemory } from './helpers/temp-in-memory.ts'

keepTempInMemory()

// Threads that tests start by the dozen read the same sources: kept compiled, a start costs half.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../node_modules/.cache/node-compile')

/** Each mocks Electron in its own way. */
const mockedElectron = 'test/unit/hosts/electron/*.test.ts'

/** Leave nothing behind in their process, so that they share workers: loading the console costs more than most tests. */
const inSharedWorkers = [
  'test/integration/core/**/*.test.ts',
  'test/integration/{database,jobs,listener,sandbox}/**/*.test.ts',
]

const threads = bundledThreads()

export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  plugins: [vue(), compileCatalogues()],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: [mockedElectron],
          // A process for each of these small files would cost more than its tests.
          isolate: false,
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        plugins: [threads],
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', mockedElectron],
          exclude: inSharedWorkers,
        },
      },
      {
        extends: true,
        plugins: [threads],
        test: {
          name: 'shared',
          include: inSharedWorkers,
          isolate: false,
          unstubEnvs: true,
          unstubGlobals: true,
          restoreMocks: true,
        },
      },
    ],
    // As in Playwright's configuration.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a poll waits for comes from threads that share two cores with the other file's.
    expect: { poll: { timeout: 30_000 } },
    // One more than the smallest machine has cores: many files wait for processes that they start.
    maxWorkers: 3,
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
  },
})
