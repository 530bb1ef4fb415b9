// Must parse on runtimes too old for the rest, to say so: syntax and API of Node 14.
import { existsSync } from 'fs'
import module from 'module'
import { dirname, join } from 'path'
import { fileURLToPath, pathToFileURL } from 'url'
import { endLike, runChild } from './start/child.mjs'
import { endWithParent } from './start/parent.mjs'
import { findRuntime, isGoodRuntime, oldRuntimeText } from './start/runtime.mjs'
import { findTool, withRuntimeFirst } from './start/tool.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const commands = { start, serve, sandbox, relay, dev, build, run }
const usage =
  'Usage: npm start, npm run serve, npm run sandbox, npm run relay or npm run dev, with flags after --'
const flags = [
  'Flags, after --:',
  "  --data-dir DIR     data folder (default: SWITCHBOARD_DATA_DIR, else the platform's own)",
  '  --connection NAME  open this connection (default: the last one)',
  '  --sandbox          open the built-in service',
  'Only in the browser (npm run serve, or without a desktop):',
  '  --port N           port of the console (default: the last one, else any free port)',
  '  --no-open          do not open the browser',
  'npm run sandbox -- --help and npm run relay -- --help list the flags of the built-in service and the relay.',
]

function say(text) {
  process.stderr.write(text + '\n')
}

function fail(text, code) {
  say(text)
  process.exitCode = code
}

/** Keeps compiled code for the next start, where Node can. Threads and child processes read the variable. */
function keepCompiledCode() {
  if (!module.enableCompileCache) return
  if (!process.env.NODE_COMPILE_CACHE)
    process.env.NODE_COMPILE_CACHE = join(root, 'node_modules', '.cache', 'compiled')
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
}

/** Runs one of our programs in this process, as if started with these arguments. */
function become(file, args) {
  keepCompiledCode()
  process.argv = [process.argv[0], file].concat(args)
  return import(pathToFileURL(file).href)
}

function isHelp(args) {
  return args.indexOf('--help') !== -1 || args.indexOf('-h') !== -1
}

function help() {
  process.stdout.write([usage].concat(flags).join('\n') + '\n')
}

/** Says why, and returns true, when the console is not built and can't be. */
async function cannotBuild() {
  const { ensureBuilt } = await import('./start/build.mjs')
  const problem = await ensureBuilt(root)
  if (problem !== null) fail(problem, 1)
  return problem !== null
}

async function build() {
  const parts = await import('./start/build.mjs')
  const problem = await parts.build(root)
  if (problem !== null) fail(problem, 1)
}

async function serve(args) {
  if (await cannotBuild()) return
  return becomeHost(args)
}

function becomeHost(args) {
  const built = join(root, 'out', 'main', 'node-host.js')
  return become(existsSync(built) ? built : join(root, 'electron', 'hosts', 'node', 'main.ts'), args)
}

function sandbox(args) {
  return become(join(root, 'electron', 'sandbox', 'main.ts'), args)
}

function relay(args) {
  return become(join(root, 'electron', 'relay', 'main.ts'), args)
}

/** Electron's binary, downloaded if needed, or why there is no window; `asked` when a signal ended the download. */
async function findDesktop() {
  const { downloadElectron, findElectron, whyNoDesktop } = await import('./start/desktop.mjs')
  const uid = process.getuid ? process.getuid() : null
  const why = whyNoDesktop({ platform: process.platform, env: process.env, uid })
  if (why !== null) return { binary: null, why }
  if (findElectron(root) === null) {
    const { why: problem, asked } = await downloadElectron(root)
    if (problem !== null) return { binary: null, why: problem, asked }
  }
  return { binary: findElectron(root), why: null }
}

function sayBrowser(why) {
  process.stdout.write('Switchboard runs in the browser: ' + why + '.\n')
}

async function start(args) {
  if (await cannotBuild()) return
  const desktop = await findDesktop()
  if (desktop.asked) return fail('The download was stopped. Nothing was started.', 1)
  if (desktop.binary === null) sayBrowser(desktop.why)
  else {
    const { runElectron, sandboxRemedy } = await import('./start/electron.mjs')
    const { end, why } = await runElectron(desktop.binary, [root].concat(args), process.env)
    if (why === null) return endLike(end)
    const remedy = sandboxRemedy(desktop.binary, end)
    if (remedy !== null) say(remedy)
    sayBrowser(why)
  }
  return becomeHost(args)
}

async function dev(args) {
  const desktop = await findDesktop()
  if (desktop.asked) return fail('The download was stopped. Nothing was started.', 1)
  if (desktop.binary !== null) {
    const { cleanEnvironment } = await import('./start/electron.mjs')
    const tool = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
    const env = cleanEnvironment(process.env)
    return endLike(await runChild(process.execPath, [tool, 'dev', '--'].concat(args), { env }))
  }
  sayBrowser(desktop.why)
  const { runDevWithoutElectron } = await import('./start/dev.mjs')
  return runDevWithoutElectron(root, args)
}

/** Runs a development tool, or `node` itself, on a new enough runtime. */
async function run(args, runtime) {
  const isNode = args[0] === 'node'
  const tool = isNode ? null : findTool(root, args[0])
  if (!isNode && tool === null)
    return fail(args[0] + ' is not installed. Nothing was run. Run npm install.', 1)
  const given = (isNode ? [] : [tool]).concat(args.slice(1))
  return endLike(await runChild(runtime, given, { env: withRuntimeFirst(process.env, runtime) }))
}

async function main() {
  const given = process.argv.slice(2)
  const isNamed = given.length > 0 && given[0].charAt(0) !== '-'
  const name = isNamed ? given[0] : 'start'
  const args = isNamed ? given.slice(1) : given
  if (!Object.prototype.hasOwnProperty.call(commands, name)) {
    return fail('There is no "' + name + '". Nothing was started. ' + usage, 2)
  }
  if (isHelp(args) && ['sandbox', 'relay', 'run'].indexOf(name) === -1) return help()
  const isGood = isGoodRuntime(process.version)
  const runtime = isGood ? process.execPath : findRuntime(root)
  if (runtime === null) return fail(oldRuntimeText(process.version), 1)
  endWithParent()
  if (name === 'run') return run(args, runtime)
  if (isGood) return commands[name](args)
  return endLike(await runChild(runtime, process.argv.slice(1), { linked: true }))
}

main().catch(function (error) {
  fail('Switchboard could not be started: ' + error.message + '. Your data is safe.', 1)
})
