import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runChild } from './child.mjs'

const sources = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'electron.vite.config.ts',
  'electron',
  'renderer',
  'resources',
]

/** A hash of all sources. Content, not times, which a checkout or copy changes. */
export function stampOf(root) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((name) => filesOf(join(root, name))).sort()) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

/** True when `out/` matches the sources. */
export function isBuilt(root) {
  const [stampFile, page] = [join(root, 'out', '.stamp'), join(root, 'out', 'renderer', 'index.html')]
  return existsSync(page) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOf(root)
}

/** Builds the console if needed. Resolves with what prevents it, or null. */
export async function ensureBuilt(root) {
  if (isBuilt(root)) return null
  const builder = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  if (!existsSync(builder)) {
    if (existsSync(join(root, 'out', 'renderer', 'index.html'))) return null
    return 'The console is not built, and the tools to build it are not installed. Nothing was started. Run npm install.'
  }
  process.stderr.write('Building the console; this happens once after a change.\n')
  const [stamp, stampFile] = [stampOf(root), join(root, 'out', '.stamp')]
  rmSync(stampFile, { force: true })
  const { code, signal, asked } = await runChild(process.execPath, [builder, 'build', '--logLevel', 'warn'])
  if (asked) return 'The build was stopped. Nothing was started.'
  if (code !== 0) {
    return `The build failed (${code === null ? signal : `exit code ${code}`}); its output is above. Nothing was started.`
  }
  writeFileSync(stampFile, stamp)
  return null
}

function filesOf(path) {
  if (!existsSync(path)) return []
  const entries = readdirSyncOrNull(path)
  if (entries === null) return [path]
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** Entries below a folder, or null for a file. */
function readdirSyncOrNull(path) {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOTDIR') return null
    throw error
  }
}
