import type { Session } from 'electron'
import { protocol } from 'electron'
import { randomBytes } from 'node:crypto'
import { contentSecurityPolicy, renderIndex, type RendererFile } from '../renderer-files.ts'

/** Must run before the app is ready. No CSP bypass, no service workers, no CORS: the scheme serves one page to itself. */
export function declareScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

/** Serves `app://console/…` from the build's file list. Everything else is 404; what is not a GET is 405. */
export function serveConsole(session: Session, files: ReadonlyMap<string, RendererFile>): void {
  session.protocol.handle('app', (request) => answerRequest(request, files))
}

/** One request of the window. Paths are looked up as they stand, so nothing outside the list can be named. */
export function answerRequest(request: Request, files: ReadonlyMap<string, RendererFile>): Response {
  const url = new URL(request.url)
  if (request.method !== 'GET') return new Response(null, { status: 405, headers: { Allow: 'GET' } })
  const file = url.host === 'console' ? files.get(url.pathname) : undefined
  if (!file) return new Response(null, { status: 404 })
  const nonce = randomBytes(16).toString('base64')
  const isPage = file.contentType.startsWith('text/html')
  const bytes = isPage ? renderIndex(file, nonce) : file.bytes
  return new Response(new Uint8Array(bytes), {
    headers: {
      'Content-Type': file.contentType,
      'Content-Security-Policy': contentSecurityPolicy(nonce, "'none'"),
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    },
  })
}
