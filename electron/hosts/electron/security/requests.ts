import type { Session } from 'electron'
import { isOwnDownload } from './permissions.ts'

/**
 * Lets the window load only from the console's scheme; unpackaged, also developer tools and Vite's socket.
 */
export function restrictRequests(session: Session, packaged: boolean, vite: URL | null): void {
  session.webRequest.onBeforeRequest((details, answer) => {
    const isVite = vite !== null && details.url.startsWith(`ws://${vite.host}/`)
    answer({ cancel: !isVite && !isOwnRequest(details.url, packaged) })
  })
}

/** True for `app://console/…`, its blobs, and developer tools when unpackaged. */
export function isOwnRequest(url: string, packaged: boolean): boolean {
  if (isOwnDownload(url)) return true
  const parsed = URL.parse(url)
  if (!parsed) return false
  if (parsed.protocol === 'app:') return parsed.host === 'console'
  return !packaged && parsed.protocol === 'devtools:'
}
