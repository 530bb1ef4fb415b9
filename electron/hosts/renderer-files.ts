import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { startText as t } from './texts.ts'

/** A built file. Requests are looked up in the list and never become a path. */
export interface RendererFile {
  path: string
  contentType: string
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.csv': 'text/csv; charset=utf-8',
  '.woff2': 'font/woff2',
}

const isOfTheBuild = (name: string) => name === 'manifest.json' || name === 'licenses.json'

/** The page was never built. The message is for the operator. */
export class NotBuiltError extends Error {
  override readonly name = 'NotBuiltError'
}

/**
 * The built files by request path (`/assets/x.js`), listed once at start. `/` is `index.html`. Unlisted types
 * and the build's own metadata are not served.
 */
export function loadRendererFiles(dir: string): ReadonlyMap<string, RendererFile> {
  const files = new Map<string, RendererFile>()
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const contentType = contentTypes[extname(entry.name)]
    if (!entry.isFile() || contentType === undefined || isOfTheBuild(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    files.set(`/${relative(dir, path)}`.replaceAll('\\', '/'), { path, contentType })
  }
  const index = files.get('/index.html')
  if (!index) throw new NotBuiltError(t('notBuilt', { path: dir }))
  files.set('/', index)
  return files
}

/** A file's bytes; the page's with this load's nonce. */
export async function readRendererFile({ path, contentType }: RendererFile, nonce: string): Promise<Buffer> {
  const bytes = await readFile(path)
  if (!isPage(contentType)) return bytes
  return Buffer.from(bytes.toString('utf8').replaceAll('__CSP_NONCE__', nonce))
}

export const isPage = (contentType: string) => contentType.startsWith('text/html')

/**
 * The page's Content-Security-Policy. Style elements need the nonce (the component library adds them), style
 * attributes can't have one. `connectSource` is `'none'` when traffic goes over a message port.
 */
export function contentSecurityPolicy(nonce: string, connectSource: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connectSource}`,
    "worker-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    // `default` allows only empty text; Vue's policy serves the build's templates.
    "require-trusted-types-for 'script'",
    'trusted-types default vue',
  ].join('; ')
}
