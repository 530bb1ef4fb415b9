import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { compileCatalogues } from './renderer/compile-catalogues.ts'

const at = (path: string) => resolve(import.meta.dirname, path)

/** Everything the main process starts: each entry is a process or thread of its own, found at run time by `entryUrl`. */
export const mainEntries = {
  main: at('electron/hosts/electron/main.ts'),
  'node-host': at('electron/hosts/node/main.ts'),
  'core-thread': at('electron/hosts/core-thread.ts'),
  'check-thread': at('electron/database/check-thread.ts'),
  'contacts-thread': at('electron/jobs/contact-store/contacts-thread.ts'),
  'search-thread': at('electron/jobs/contact-store/search-thread.ts'),
  'job-thread': at('electron/jobs/thread/job-thread.ts'),
  'listener-thread': at('electron/listener/listener-thread.ts'),
  'sandbox-thread': at('electron/sandbox/sandbox-thread.ts'),
  'keychain-process': at('electron/hosts/keychain/keychain-process.ts'),
}

/** Stay packages of their own, because they load a binary that lies beside them. Everything else is bundled. */
export const nativeModules = ['better-sqlite3', 'keytar']

/** V8 keeps a file in one byte per character when all are Latin-1, and in two otherwise. */
const latin1: Plugin = {
  name: 'latin-1',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = file.code.replace(/[\u0100-\uffff]/g, escapeChar)
  },
}

const escapeChar = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Lists what was bundled, for the notices of the packages. */
const license = { fileName: 'licenses.json' }

export default defineConfig({
  main: {
    plugins: [latin1],
    build: {
      outDir: 'out/main',
      externalizeDeps: false,
      license,
      rolldownOptions: {
        input: mainEntries,
        external: nativeModules,
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      rolldownOptions: {
        input: { preload: at('electron/hosts/electron/preload.ts') },
        // A sandboxed preload cannot be an ES module.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('renderer'),
    publicDir: at('resources/public'),
    plugins: [vue(), compileCatalogues()],
    // vue-i18n without its compiler, its directive and its older API.
    resolve: { alias: { 'vue-i18n': 'vue-i18n/dist/vue-i18n.runtime.mjs' } },
    define: {
      __INTLIFY_DROP_MESSAGE_COMPILER__: true,
      __INTLIFY_PROD_DEVTOOLS__: false,
      __VUE_I18N_FULL_INSTALL__: false,
      __VUE_I18N_LEGACY_API__: false,
    },
    build: {
      outDir: at('out/renderer'),
      // electron-vite leaves it out unless told; the page's own policy (no eval, nonced styles) does not mind it.
      minify: 'oxc',
      manifest: 'manifest.json',
      license,
      // What the first page loads is limited by `first-load.spec.ts`.
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: {
        input: { index: at('renderer/index.html') },
        output: {
          codeSplitting: {
            // What every start loads is one file: 49 requests to the first page, not 97.
            groups: [{ name: 'start', tags: ['$initial'] }],
          },
        },
      },
    },
  },
})
