import { protocol, type Session } from 'electron'
import { randomBytes } from 'node:crypto'
import { contentSecurityPolicy, isPage, readRendererFile, type RendererFile } from '../renderer-files.ts'

/** Call before the app is ready. No CSP bypass, service workers or CORS: the scheme serves one page to itself. */
export function declareScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

/** Serves `app://console/…` from the build's file list. Other paths get 404, other methods 405. */
export function serveConsole(session: Session, files: ReadonlyMap<string, RendererFile>): void {
  session.protocol.handle('app', (request) => answerRequest(request, files))
}

/** Serves the page of `npm run dev` from Vite under the same origin. The policy only adds Vite's socket. */
export function serveFromVite(session: Session, vite: URL): void {
  session.protocol.handle('app', (request) => answerFromVite(request, vite))
}

/** electron-vite's address in `npm run dev`, or null. Only this computer's is accepted. */
export function viteServer(env: NodeJS.ProcessEnv): URL | null {
  const url = URL.parse(env['ELECTRON_RENDERER_URL'] ?? '')
  const isOwn = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return isOwn ? url : null
}

async function answerFromVite(request: Request, vite: URL): Promise<Response> {
  const { host, pathname, search } = new URL(request.url)
  if (host !== 'console') return new Response(null, { status: 404 })
  const answer = await fetch(new URL(pathname + search, vite), {
    headers: { Accept: request.headers.get('Accept') ?? '*/*' },
  })
  const contentType = answer.headers.get('Content-Type') ?? 'application/octet-stream'
  const nonce = randomBytes(16).toString('base64')
  // Vite's client puts this nonce on the style elements it adds.
  const body = isPage(contentType)
    ? (await answer.text())
        .replaceAll('__CSP_NONCE__', nonce)
        .replace('<head>', `<head><meta property="csp-nonce" nonce="${nonce}" />`)
    : await answer.arrayBuffer()
  return new Response(body, {
    status: answer.status,
    headers: headersOf(contentType, contentSecurityPolicy(nonce, `ws://${vite.host}`)),
  })
}

/** Looks paths up unchanged, so nothing outside the list can be named. */
async function answerRequest(request: Request, files: ReadonlyMap<string, RendererFile>): Promise<Response> {
  const url = new URL(request.url)
  if (request.method !== 'GET') return new Response(null, { status: 405, headers: { Allow: 'GET' } })
  const file = url.host === 'console' ? files.get(url.pathname) : undefined
  if (!file) return new Response(null, { status: 404 })
  const nonce = randomBytes(16).toString('base64')
  return new Response(new Uint8Array(await readRendererFile(file, nonce)), {
    headers: headersOf(file.contentType, contentSecurityPolicy(nonce, "'none'")),
  })
}

function headersOf(contentType: string, policy: string): Record<string, string> {
  return {
    'Content-Type': contentType,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }
}
