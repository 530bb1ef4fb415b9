import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

// Checks `npm install` for all six platforms from the lockfile and the packages.

interface LockedPackage {
  version?: string
  resolved?: string
  integrity?: string
  optional?: boolean
  hasInstallScript?: boolean
  os?: string | string[]
  cpu?: string | string[]
  libc?: string | string[]
  optionalDependencies?: Record<string, string>
}

const root = resolve('.')
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const { isGoodRuntime, runtimePackage } = (await import(join(root, 'electron/hosts/start/runtime.mjs'))) as {
  isGoodRuntime(version: string): boolean
  runtimePackage(platform: string, arch: string): string | null
}

const platforms: [string, string][] = ['linux', 'darwin', 'win32'].flatMap((platform) =>
  ['x64', 'arm64'].map((arch): [string, string] => [platform, arch]),
)
/** Packages that work without their install script: two contain binaries, one is made for Vue 3, and only Squirrel needs the other's. */
const withUnneededScript = [
  'node_modules/@tanstack/vue-query/node_modules/vue-demi',
  'node_modules/better-sqlite3',
  'node_modules/electron-winstaller',
  'node_modules/keytar',
]

const installs = (name: string, platform: string, arch: string) => {
  const locked = packages[`node_modules/${name}`]
  const allows = (list: string | string[] | undefined, value: string) =>
    list === undefined || [list].flat().includes(value)
  return (
    locked !== undefined &&
    allows(locked.os, platform) &&
    allows(locked.cpu, arch) &&
    allows(locked.libc, 'glibc')
  )
}

describe.each(platforms)('npm install on %s-%s', (platform, arch) => {
  test('installs a new enough runtime', () => {
    const name = runtimePackage(platform, arch)!
    expect(installs(name, platform, arch)).toBe(true)
    const { version, optional } = packages[`node_modules/${name}`]!
    expect(optional).toBe(true)
    expect(isGoodRuntime(version!)).toBe(true)
  })

  test.each([
    `better-sqlite3/prebuilds/${platform}-${arch}.node`,
    `keytar/prebuilds/${platform}-${arch}/keytar.node`,
    // Unpacks Electron's binary.
    `@electron-internal/extract-zip/index.${platform === 'darwin' ? 'darwin-universal' : `${platform}-${arch}-${platform === 'linux' ? 'gnu' : 'msvc'}`}.node`,
  ])('brings %s', (file) => {
    expect(existsSync(join(root, 'node_modules', file))).toBe(true)
  })

  /** Packages with one binary package per platform, as build tools have; fsevents is an extra for macOS only. */
  const families = Object.entries(packages).filter(
    ([path, { optionalDependencies = {} }]) =>
      path !== '' &&
      Object.keys(optionalDependencies).some(
        (name) => name !== 'fsevents' && packages[`node_modules/${name}`]?.os,
      ),
  )
  test.each(families)('brings the binary of %s', (_path, { optionalDependencies }) => {
    const names = Object.keys(optionalDependencies!)
    expect(names.filter((name) => installs(name, platform, arch))).toHaveLength(1)
    // One missing from the lockfile would be missing on its platform.
    expect(names.filter((name) => !packages[`node_modules/${name}`])).toEqual([])
  })
})

test('needs and runs no install script', () => {
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(withScript.map(([path]) => path)).toEqual(withUnneededScript)
  expect(readFileSync(join(root, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true')
})

test('names no registry and has a hash for every package in the lockfile', () => {
  const others = Object.entries(packages).filter(([path]) => path !== '')
  expect(others.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  expect(others.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
})
