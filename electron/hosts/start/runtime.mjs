// Runs on runtimes that are too old for the rest, to say so: no syntax and no API newer than Node 14.
import { spawnSync } from 'child_process'
import { existsSync } from 'fs'
import { join } from 'path'

/** Oldest Node that runs TypeScript unbuilt; better-sqlite3 13 needs 22 and ends older ones with a segmentation fault. */
const oldest = { major: 22, minor: 18 }

/** True for a version text such as `v24.1.0` that the console runs on. */
export function isGoodRuntime(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number)
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
}

/** A runtime among the dependencies that is new enough, as a path, or null. */
export function findRuntime(root) {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const packageName = `node-${platform}-${process.arch}`
  const candidates = [
    join('node', 'bin', name),
    join('.bin', name),
    join('node', 'node_modules', packageName, 'bin', name),
    join(packageName, 'bin', name),
  ].map((path) => join(root, 'node_modules', path))
  for (const candidate of candidates) {
    if (!existsSync(candidate)) continue
    const { status, stdout } = spawnSync(candidate, ['--version'], { encoding: 'utf8' })
    if (status === 0 && isGoodRuntime(stdout.trim())) return candidate
  }
  return null
}

/** The sentence for a runtime that is too old. */
export function oldRuntimeText(version) {
  return (
    `Switchboard needs Node ${oldest.major}.${oldest.minor} or newer; this is ${version}. Nothing was started. ` +
    'Run npm install, which brings one, and start it with npm; or install a newer Node.'
  )
}
