import vue from '@vitejs/plugin-vue'
import { resolve } from 'node:path'
import { defineConfig } from 'vite'

const at = (path: string) => resolve(import.meta.dirname, '../..', path)

/** Builds the renderer alone, for work on its pages against a scripted core. Output: `out/renderer-alone`. */
export default defineConfig({
  root: at('renderer'),
  publicDir: at('resources/public'),
  plugins: [vue()],
  logLevel: 'warn',
  build: {
    outDir: at('out/renderer-alone'),
    emptyOutDir: true,
    rolldownOptions: { input: at('renderer/index.html') },
  },
})
