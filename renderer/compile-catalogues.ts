import { baseCompile } from '@intlify/message-compiler'
import type { Plugin } from 'vite'

type Catalogue = { [key: string]: string | Catalogue }

/** A catalogue: `settings.en.json`. The core reads its own as they are, so the page asks for those with `?catalogue`. */
const catalogueFile = /renderer\/src\/.*\.[a-z]{2}\.json$|\.[a-z]{2}\.json\?catalogue$/

/**
 * Compiles message catalogues (`*.<language>.json`) to the syntax trees that vue-i18n runs without a compiler, which the page's
 * policy refuses. JSON in, JSON out: Vite's own JSON plugin does the rest. A message with an error stops the build.
 */
export function compileCatalogues(): Plugin {
  return {
    name: 'compile-catalogues',
    enforce: 'pre',
    transform: {
      filter: { id: catalogueFile },
      handler(source, id) {
        const json = JSON.stringify(compile(JSON.parse(source) as Catalogue, id))
        // Vite's JSON plugin leaves out names with a query.
        return id.endsWith('.json')
          ? { code: json, map: null }
          : { code: `export default ${json}`, moduleType: 'js', map: null }
      },
    },
  }
}

function compile(catalogue: Catalogue, path: string): object {
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, message]) => [
      key,
      typeof message === 'string' ? compileMessage(message, `${path}: ${key}`) : compile(message, path),
    ]),
  )
}

function compileMessage(message: string, place: string): object {
  const onError = (error: Error) => {
    throw new Error(`${place}: ${error.message}`)
  }
  return baseCompile(message, { jit: true, location: false, minify: true, onError }).ast
}
