import vue from '@vitejs/plugin-vue'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { compileCatalogues } from '../renderer/compile-catalogues.ts'
import { keepTempInMemory } from './helpers/temp-in-memory.ts'

keepTempInMemory()

// Threads that tests start by the dozen read the same sources: kept compiled, a start costs half.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../node_modules/.cache/node-compile')

export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  plugins: [vue(), compileCatalogues()],
  test: {
    include: ['test/unit/**/*.test.ts', 'test/integration/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a poll waits for comes from threads that share two cores with the other file's.
    expect: { poll: { timeout: 30_000 } },
    // One more than the smallest machine has cores: many files wait for processes that they start.
    maxWorkers: 3,
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
  },
})
