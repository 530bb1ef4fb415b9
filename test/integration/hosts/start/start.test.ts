import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { launch, startProject as project } from '../../../helpers/start-project.ts'

const root = resolve('.')
const { runtimePackage } = (await import(join(root, 'electron/hosts/start/runtime.mjs'))) as {
  runtimePackage(platform: string, arch: string): string | null
}

/** Makes the runtime believe that it is an old one, but not its children. */
function oldRuntime(folder: string): string[] {
  const file = join(folder, 'old-runtime.cjs')
  writeFileSync(file, `Object.defineProperty(process, 'version', { value: 'v20.20.2' })`)
  return ['--require', file]
}

/** Puts a new enough runtime where npm installs one. */
function installRuntime(folder: string): string {
  const name = runtimePackage(process.platform, process.arch)!
  const file = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync(process.execPath, file)
  return file
}

/** A development tool that prints its arguments and the `node` its scripts would use. */
const installedTool = {
  'package.json': '{ "type": "module", "devDependencies": { "@scope/tools": "1.0.0" } }',
  'node_modules/@scope/tools/package.json': '{ "type": "module", "bin": { "lint-it": "bin/lint.js" } }',
  'node_modules/@scope/tools/bin/lint.js': `import { delimiter } from 'node:path'
console.log('lint', JSON.stringify(process.argv.slice(2)), process.version, process.env.PATH.split(delimiter)[0])
process.exitCode = 5`,
}

describe('the runtime', () => {
  test.each([['serve'], ['sandbox'], ['run', 'node'], []])(
    'explains an old one without a newer installed (%s)',
    async (...args) => {
      const folder = project()
      const host = launch(folder, args, { runtimeArgs: oldRuntime(folder) })
      expect((await host.exit).code).toBe(1)
      expect(host.lines).toHaveLength(1)
      expect(host.lines[0]).toMatch(
        /^Switchboard needs Node 22\.18 or newer; this is v20\.20\.2\. Nothing was started\. /,
      )
    },
  )

  test('hands over from an old runtime with flags, signal and exit code', async () => {
    const folder = project()
    installRuntime(folder)
    const host = launch(folder, ['serve', '--port', '0'], { runtimeArgs: oldRuntime(folder) })
    await host.line(new RegExp(`^host \\["--port","0"\\] ${process.version} true$`))
    host.signal('SIGTERM')
    expect(await host.exit).toEqual({ code: 7, signal: null })
    expect(host.lines.filter((line) => line === 'stopping')).toHaveLength(1)
  })

  test('stops the newer one when the old one is killed', async () => {
    const folder = project()
    installRuntime(folder)
    const host = launch(folder, ['serve'], { runtimeArgs: oldRuntime(folder) })
    await host.line(/^host /)
    // Its output stays open until both have ended.
    await host.kill('SIGKILL')
    expect(await host.exit).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('treats an installed runtime that cannot run as missing', async () => {
    const folder = project()
    const file = installRuntime(folder)
    rmSync(file)
    writeFileSync(file, 'built for another system', { mode: 0o755 })
    expect((await launch(folder, ['serve'], { runtimeArgs: oldRuntime(folder) }).exit).code).toBe(1)
  })

  test('runs a tool and its npm scripts on the installed runtime', async () => {
    const folder = project(installedTool)
    const file = installRuntime(folder)
    const host = launch(folder, ['run', 'lint-it', 'a b', '--help'], { runtimeArgs: oldRuntime(folder) })
    expect(await host.exit).toEqual({ code: 5, signal: null })
    expect(host.lines).toEqual([`lint ["a b","--help"] ${process.version} ${dirname(file)}`])
  })

  test('reports a missing tool in one sentence', async () => {
    const host = launch(project(), ['run', 'eslint'])
    expect((await host.exit).code).toBe(1)
    expect(host.lines).toEqual(['eslint is not installed. Nothing was run. Run npm install.'])
  })
})

describe('the choice of the host', () => {
  test('starts the browser host without a display and says why', async () => {
    const host = launch(project(), ['--port', '0'])
    await host.line(/^host \["--port","0"\]/)
    const said = host.lines.filter((line) => line.startsWith('Switchboard runs'))
    expect(said).toEqual(
      process.platform === 'linux'
        ? ['Switchboard runs in the browser: there is no display.']
        : [expect.any(String)],
    )
    host.signal('SIGTERM')
    expect(await host.exit).toEqual({ code: 7, signal: null })
  })

  test('says nothing about it for serve', async () => {
    const host = launch(project(), ['serve'])
    await host.line(/^host \[\]/)
    expect(host.lines).toHaveLength(1)
    await host.kill('SIGTERM')
  })

  test('starts the sandbox alone with its flags', async () => {
    const host = launch(project(), ['sandbox', '--port', '0', '--help'])
    expect((await host.exit).code).toBe(0)
    expect(host.lines).toEqual(['sandbox ["--port","0","--help"]'])
  })

  test('lists every flag of a host for --help and starts nothing', async () => {
    const host = launch(project(), ['serve', '--help'])
    expect((await host.exit).code).toBe(0)
    const text = host.lines.join('\n')
    for (const flag of ['--port N', '--data-dir DIR', '--connection NAME', '--sandbox', '--no-open'])
      expect(text).toContain(flag)
    expect(text).not.toContain('host [')
  })

  test('refuses an unknown command and lists the known ones', async () => {
    const host = launch(project(), ['constructor'])
    expect((await host.exit).code).toBe(2)
    expect(host.lines[0]).toMatch(/^There is no "constructor"\. Nothing was started\. Usage: /)
  })
})

describe('the build', () => {
  const builder = `import { writeFileSync, mkdirSync } from 'node:fs'
mkdirSync('out/renderer', { recursive: true }); writeFileSync('out/renderer/index.html', '<!doctype html>'); console.log('built')
if (process.env.FAIL) process.exit(4)`
  const withBuilder = () => project({ 'node_modules/electron-vite/bin/electron-vite.js': builder })
  const start = (folder: string, env = {}) => launch(folder, ['serve'], { cwd: folder, env })

  test('builds once, and again after a source changed', async () => {
    const folder = withBuilder()
    const builds = async () => {
      const host = start(folder)
      await host.line(/^host /)
      await host.kill('SIGTERM')
      return host.lines.filter((line) => line === 'built').length
    }
    expect(await builds()).toBe(1)
    expect(await builds()).toBe(0)
    writeFileSync(join(folder, 'electron/hosts/node/main.ts'), `console.log('host changed')`)
    expect(await builds()).toBe(1)
    expect(await builds()).toBe(0)
  })

  test('reports a failed build, starts nothing and retries next time', async () => {
    const folder = withBuilder()
    const host = start(folder, { FAIL: '1' })
    expect((await host.exit).code).toBe(1)
    expect(host.lines.at(-1)).toMatch(
      /^The build failed \(exit code 4\); its output is above\. Nothing was started\.$/,
    )
    const again = start(folder)
    await again.line(/^built$/)
    await again.kill('SIGTERM')
  })
})
