import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'

const devPort = 5_173

/**
 * Development without Electron: the browser host from its sources, and the page from Vite, which proxies
 * `/rpc` and `/session`. Page changes show at once; changes under electron/ need a restart.
 */
export async function runDevWithoutElectron(root, args) {
  const host = spawn(process.execPath, [join(root, 'electron/hosts/node/main.ts'), '--no-open', ...args], {
    stdio: ['inherit', 'pipe', 'inherit', 'ipc'],
    // Vite serves the page; the host needs any page to start.
    env: { ...process.env, SWITCHBOARD_RENDERER_DIR: join(root, 'renderer') },
  })
  const exited = new Promise((resolve) => host.once('exit', (code) => resolve(code ?? 1)))
  // The host stops in order when its channel closes.
  const stop = () => host.connected && host.disconnect()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)

  let vite = null
  const lines = createInterface({ input: host.stdout })
  lines.on('line', async (line) => {
    const link = /^(Switchboard ready|New link, for one browser): (\S+)$/.exec(line)
    if (!link) return process.stdout.write(`${line}\n`)
    const { origin, hash } = new URL(link[2])
    vite ??= startVite(root, origin)
    const page = await vite.catch((error) => {
      process.stderr.write(`The page could not be served: ${error.message}\n`)
      stop()
      return null
    })
    if (page) process.stdout.write(`${link[1]}: ${page.origin}/${hash}\n`)
  })
  process.exitCode = await exited
  await (await vite?.catch(() => null))?.server.close()
}

async function startVite(root, hostOrigin) {
  const { createServer } = await import('vite')
  const { default: config } = await import(join(root, 'electron.vite.config.ts'))
  let origin = ''
  /** The host accepts only its own page. A foreign page keeps its Origin and is refused. */
  const asHost = (request) => {
    if (request.getHeader('origin') === origin) request.setHeader('origin', hostOrigin)
  }
  const proxy = {
    target: hostOrigin,
    changeOrigin: true,
    configure(proxyServer) {
      proxyServer.on('proxyReq', asHost)
      proxyServer.on('proxyReqWs', asHost)
    },
  }
  const server = await createServer({
    ...config.renderer,
    configFile: false,
    server: {
      host: '127.0.0.1',
      port: devPort,
      proxy: { '/session': proxy, '/rpc': { ...proxy, ws: true } },
    },
  })
  await server.listen()
  origin = `http://127.0.0.1:${server.httpServer.address().port}`
  return { server, origin }
}
