import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'
import { mainEntries, nativeModules } from '../../electron.vite.config.ts'

const entryUrl = '/electron/lib/entry-url.ts'
const cache = resolve(import.meta.dirname, '../../node_modules/.cache/test-threads')

/** Consoles that tests start as processes of their own, by name. */
const consoles = Object.fromEntries(
  globSync(resolve(import.meta.dirname, '../integration/core/**/*-process.ts')).map((file) => [
    basename(file, '.ts'),
    file,
  ]),
)

/** Bundles the entries like the build does, and these consoles. Returns their folder, which is named by its content: runs beside each other share it. */
async function bundle(): Promise<string> {
  const { main: _electronOnly, ...input } = mainEntries
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: nativeModules },
    build: {
      ssr: true,
      write: false,
      rolldownOptions: {
        input: { ...input, ...consoles },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' },
      },
    },
  })) as Rolldown.RolldownOutput
  const files = output.flatMap((file) => (file.type === 'chunk' ? [file] : []))
  const hash = createHash('sha256')
  for (const { fileName, code } of files) hash.update(`${fileName}\n${code}\n`)
  const folder = join(cache, hash.digest('hex').slice(0, 16))
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  for (const { fileName, code } of files) writeFileSync(join(unfinished, fileName), code)
  // Without it, Node parses each file twice, first to find out its format.
  writeFileSync(join(unfinished, 'package.json'), '{ "type": "module" }\n')
  // Fails if another run was first.
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** Lets `entryUrl` find bundled threads, as in the build: tests start thousands, and each would load a hundred sources. */
export function bundledThreads(): Plugin {
  let bundled: Promise<string> | undefined
  return {
    name: 'bundled-threads',
    enforce: 'pre',
    // Vitest keeps transformed modules between runs, and this one names a folder of threads that change without it.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (id.endsWith(entryUrl) ? false : undefined)),
    async transform(code, id) {
      if (!id.endsWith(entryUrl)) return
      const url = pathToFileURL(join(await (bundled ??= bundle()), 'entry-url.js')).href
      return code.replaceAll('import.meta.url', JSON.stringify(url))
    },
  }
}
