// A separate program, because a proxy changes `fetch` for the whole process: node fetch-electron.mjs <root>
// <stall limit, ms>
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [root, stallMs] = process.argv.slice(2)
const folder = join(root, 'node_modules', 'electron')
// Resolves Electron's own installer and its parts.
const require = createRequire(join(folder, 'install.js'))

process.on('disconnect', () => process.exit(1))
process.channel.unref()

const stall = new AbortController()
let timer
function dataArrived() {
  clearTimeout(timer)
  const error = new Error(`no data arrived for ${Number(stallMs) / 1_000} s`)
  timer = setTimeout(() => stall.abort(error), Number(stallMs))
}

let shown = 0
function show({ transferred, total }) {
  if (!total) return
  const percent = Math.floor((transferred / total) * 100)
  // In a log, one line per 10 %.
  const step = process.stderr.isTTY ? 1 : 10
  if (shown === 100 || (percent < shown + step && percent < 100)) return
  shown = percent
  const text = `Downloading Electron: ${percent} % of ${Math.ceil(total / 1_000_000)} MB`
  process.stderr.write(process.stderr.isTTY ? `\r${text}${percent === 100 ? '\n' : ''}` : `${text}\n`)
}

/** Without the address, which may hold a password. */
function reason(error) {
  if (stall.signal.aborted) return stall.signal.reason.message
  if (error.response) return `the server answered ${error.response.status}`
  if (/^Checksum/.test(error.constructor.name)) return 'the download is damaged'
  return error.cause?.code ?? error.code ?? error.message
}

try {
  const { downloadArtifact } = require('@electron/get')
  dataArrived()
  // The installer finds the file in this cache.
  await downloadArtifact({
    version: require(join(folder, 'package.json')).version,
    artifactName: 'electron',
    platform: process.env.ELECTRON_INSTALL_PLATFORM || process.platform,
    arch: process.env.ELECTRON_INSTALL_ARCH || process.arch,
    checksums: require(join(folder, 'checksums.json')),
    cacheRoot: process.env.electron_config_cache,
    downloadOptions: {
      quiet: true,
      signal: stall.signal,
      getProgressCallback(progress) {
        dataArrived()
        show(progress)
      },
    },
  })
  clearTimeout(timer)
  require(join(folder, 'install.js'))
} catch (error) {
  clearTimeout(timer)
  if (process.stderr.isTTY && shown > 0 && shown < 100) process.stderr.write('\n')
  process.exitCode = 1
  process.send(reason(error))
}
