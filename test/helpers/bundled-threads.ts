import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, globSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'
import { mainEntries, nativeModules } from '../../electron.vite.config.ts'

const entryUrl = '/electron/lib/entry-url.ts'
const root = resolve(import.meta.dirname, '../..')
/** As in the project. */
const builtFolder = 'out/main'
const cache = join(root, 'node_modules/.cache/test-threads')

/** Programs that tests start as processes of their own, by name. */
const programs = {
  relay: join(root, 'electron/relay/main.ts'),
  'tiny-core-thread': join(root, 'test/helpers/tiny-core-thread.ts'),
  ...Object.fromEntries(
    globSync(join(root, 'test/integration/core/**/*-process.ts')).map((file) => [
      basename(file, '.ts'),
      file,
    ]),
  ),
}

/** Bundles the entries like the build does, and these programs. Returns their folder, which is named by its content: runs beside each other share it. */
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
        input: { ...input, ...programs },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' },
      },
    },
  })) as Rolldown.RolldownOutput
  const files = output.flatMap((file) => (file.type === 'chunk' ? [file] : []))
  const hash = createHash('sha256')
  for (const { fileName, code } of files) hash.update(`${fileName}\n${code}\n`)
  const folder = join(cache, hash.digest('hex').slice(0, 16))
  const built = join(folder, builtFolder)
  if (existsSync(folder)) return built
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(join(unfinished, builtFolder), { recursive: true })
  for (const { fileName, code } of files) writeFileSync(join(unfinished, builtFolder, fileName), code)
  // The host reads its version there. Without it, Node parses each file twice, first to find out its format.
  copyFileSync(join(root, 'package.json'), join(unfinished, 'package.json'))
  // Fails if another run was first.
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
  return built
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
