import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startHost } from './start-host.ts'
import { tempFolder } from './temp-folder.ts'

const root = resolve('.')

/** A copy of the launcher in an empty project: not built, with only the dependencies in `files`. */
export function startProject(files: Record<string, string> = {}): string {
  const folder = tempFolder()
  cpSync(join(root, 'electron/hosts/start.mjs'), join(folder, 'electron/hosts/start.mjs'), {
    recursive: true,
  })
  cpSync(join(root, 'electron/hosts/start'), join(folder, 'electron/hosts/start'), { recursive: true })
  // Replaces the browser host and prints how it was called.
  const host = `process.on('SIGTERM', () => {
  console.log('stopping')
  clearInterval(timer)
  process.exitCode = 7
  if (process.connected) process.disconnect()
})
process.on('disconnect', () => clearInterval(timer))
const timer = setInterval(() => {}, 1000)
console.log('host', JSON.stringify(process.argv.slice(2)), process.version, process.connected === true)`
  const standard = {
    'package.json': '{ "type": "module" }',
    'electron/hosts/node/main.ts': host,
    'electron/sandbox/main.ts': `console.log('sandbox', JSON.stringify(process.argv.slice(2)))`,
    'out/renderer/index.html': '<!doctype html>',
  }
  for (const [path, text] of Object.entries({ ...standard, ...files })) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    // Executable, because some of them act as programs.
    writeFileSync(join(folder, path), text, { mode: 0o755 })
  }
  return folder
}

/** Runs the launcher of such a project. */
export const launch = (
  folder: string,
  args: readonly string[],
  { runtimeArgs = [], env = {}, cwd }: { runtimeArgs?: string[]; env?: NodeJS.ProcessEnv; cwd?: string } = {},
) =>
  startHost({
    command: process.execPath,
    args: [...runtimeArgs, join(folder, 'electron/hosts/start.mjs'), ...args],
    env,
    ...(cwd === undefined ? {} : { cwd }),
  })
