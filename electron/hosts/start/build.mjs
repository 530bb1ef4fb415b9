import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
function stampOf(root) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((name) => filesOf(join(root, name))).sort()) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

/** Builds the console if `out/` doesn't match the sources. Resolves with what prevents it, or null. */
export async function ensureBuilt(root) {
  const stampFile = stampFileOf(root)
  const hasPage = existsSync(join(root, 'out', 'renderer', 'index.html'))
  if (hasPage && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOf(root)) return null
  if (!existsSync(builderOf(root))) {
    if (hasPage) return null
    return 'Switchboard is not built, and the tools to build it are not installed. Nothing was started. Run npm install.'
  }
  process.stderr.write('Building Switchboard. This happens once after each change.\n')
  const problem = await build(root)
  return problem && `${problem} Nothing was started.`
}

/** Builds the console, and notes of which sources. Resolves with why it failed, or null. */
export async function build(root) {
  if (!existsSync(builderOf(root)))
    return 'The tools to build Switchboard are not installed. Run npm install.'
  const stamp = stampOf(root)
  rmSync(stampFileOf(root), { force: true })
  const { code, signal, asked } = await runChild(process.execPath, [
    builderOf(root),
    'build',
    '--logLevel',
    'warn',
  ])
  if (asked) return 'The build was stopped.'
  if (code !== 0)
    return `The build failed (${code === null ? signal : `exit code ${code}`}); its output is above.`
  writeFileSync(stampFileOf(root), stamp)
  return null
}

const stampFileOf = (root) => join(root, 'out', '.stamp')
const builderOf = (root) => join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')

function filesOf(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
