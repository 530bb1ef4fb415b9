import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A bundled library, from Vite's `build.license`. */
interface Library {
  name: string
  version: string
  identifier?: string
  text?: string
}

/** Native modules are not bundled, so the build doesn't list them. */
const nativeLicenses = { 'better-sqlite3': 'LICENSE', keytar: 'LICENSE.md' }

function nativeLibrary(root: string, folder: string, licenseFile: string): Library {
  const at = (file: string) => readFileSync(join(root, 'node_modules', folder, file), 'utf8')
  const { name, version, license } = JSON.parse(at('package.json')) as Library & { license: string }
  return { name, version, identifier: license, text: at(licenseFile).trim() }
}

/** THIRD_PARTY_NOTICES: each library of the built app with its licence. Run `npm run build` first. */
export function thirdPartyNotices(root: string): string {
  const bundled = ['main', 'renderer'].flatMap(
    (part) => JSON.parse(readFileSync(join(root, 'out', part, 'licenses.json'), 'utf8')) as Library[],
  )
  const native = Object.entries(nativeLicenses).map(([folder, file]) => nativeLibrary(root, folder, file))
  const byId = new Map([...bundled, ...native].map((each) => [`${each.name} ${each.version}`, each]))
  const entries = [...byId].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    'Switchboard contains these libraries. The notices of Electron and Chromium are in LICENSES.chromium.html.\n',
    ...entries.map(([id, { name, identifier, text }]) => {
      const license = text ?? 'This package is published without a license text.'
      return `${'='.repeat(78)}\n${id} (${identifier ?? 'no identifier'})\n\n${license}\n${noticeOf(root, name)}`
    }),
  ].join('\n')
}

/** The Apache license also requires a package's NOTICE. */
function noticeOf(root: string, name: string): string {
  const file = join(root, 'node_modules', name, 'NOTICE')
  return existsSync(file) ? `\n${readFileSync(file, 'utf8').trim()}\n` : ''
}
