import { join } from 'node:path'
import { type Browser, startBrowser } from './browser.ts'
import type { CdpSession } from './cdp.ts'
import { createDownloads } from './downloads.ts'
import { MissingInDoubleError, problem } from './loud.ts'
import type { Session } from './session.ts'
import type { WebContents } from './web-contents.ts'

/** Chromium and the pages that the app opened in it. */
export interface Pages {
  browser: Browser
  /** A new page that waits for its debugger, so that nothing runs before it is prepared. */
  open(
    contents: WebContents,
    size: { width: number; height: number },
  ): Promise<{ page: CdpSession; targetId: string; browserContextId: string | null }>
  close(targetId: string): void
}

let started: Promise<Pages> | null = null

/** The app’s single Chromium, started with its first window. */
export function pages(userData: string, blinkFeaturesOff?: string): Promise<Pages> {
  started ??= start(userData, blinkFeaturesOff)
  return started
}

/** Ends the Chromium if there is one. Never rejects. */
export async function closePages(): Promise<void> {
  const running = await started?.catch(() => null)
  await running?.browser.close()
}

/** DevTools address of the Chromium; null before the first window. */
export async function devToolsUrl(): Promise<string | null> {
  return started === null ? null : (await started).browser.url
}

async function start(userData: string, blinkFeaturesOff: string | undefined): Promise<Pages> {
  const browser = await startBrowser(userData, blinkFeaturesOff)
  const { root } = browser.connection
  const owners = new Map<string, WebContents>()
  let awaited: ((opened: { page: CdpSession; targetId: string }) => void) | null = null
  let opening: Promise<unknown> = Promise.resolve()

  /** Chromium has already created the page; it is closed at once. Electron would not have created it. */
  async function refuseOpened(
    page: CdpSession,
    targetId: string,
    openerId: string | undefined,
  ): Promise<void> {
    const opener = owners.get(openerId ?? '') ?? [...owners.values()].at(-1)
    // After a round trip, the opener’s message about the opening has arrived.
    await root.send('Target.getTargets')
    if (opener?.allowsOpening() ?? false) return
    // The page shares its opener’s thread, which waits for every debugger, including the test’s, and would wait forever if the page
    // closed before the last of them resumes it. A timer shows that it resumed.
    page.send('Runtime.runIfWaitingForDebugger').catch(() => {})
    const running = { expression: 'new Promise((resolve) => setTimeout(resolve))', awaitPromise: true }
    // An error also shows that the page runs: it has moved on to its address.
    await page.send('Runtime.evaluate', running).catch(() => {})
    await root.send('Target.closeTarget', { targetId })
  }

  root.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    const { type, targetId, openerId } = targetInfo
    const page = browser.connection.session(sessionId)
    if (type !== 'page') {
      page.send('Runtime.runIfWaitingForDebugger').catch(() => {})
    } else if (awaited && openerId === undefined) {
      awaited({ page, targetId })
      awaited = null
    } else refuseOpened(page, targetId, openerId).catch((error: unknown) => problem(String(error)))
  })
  await root.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })
  const downloads = createDownloads(root, join(userData, 'double-downloads'), (frameId) =>
    [...owners.values()].find((contents) => contents.hasFrame(frameId)),
  )
  const contexts = createContexts(root, downloads.allowIn)

  return {
    browser,
    open(contents, { width, height }) {
      const opened = opening.then(async () => {
        const browserContextId = await contexts.of(contents.session)
        const arrived = new Promise<{ page: CdpSession; targetId: string }>((resolve) => (awaited = resolve))
        const where = { width, height, newWindow: true, ...(browserContextId ? { browserContextId } : {}) }
        await root.send('Target.createTarget', { url: 'about:blank', ...where })
        const target = { ...(await arrived), browserContextId }
        owners.set(target.targetId, contents)
        return target
      })
      opening = opened.catch(() => {})
      return opened
    },
    close(targetId) {
      owners.delete(targetId)
      root.send('Target.closeTarget', { targetId }).catch(() => {})
    },
  }
}

/**
 * Where each session’s pages store their data: a persistent session in Chromium’s profile, the others in a context in memory that ends
 * with this process.
 */
function createContexts(
  root: CdpSession,
  allowDownloadsIn: (browserContextId: string | null) => Promise<void>,
): { of(session: Session): Promise<string | null> } {
  const known = new Map<Session, Promise<string | null>>()
  async function make(session: Session): Promise<string | null> {
    const persistent = [...known.keys()].filter((each) => each.isPersistent())
    if (persistent.length > 1)
      throw new MissingInDoubleError('The Electron double has one persistent session')
    const id = session.isPersistent()
      ? null
      : (await root.send('Target.createBrowserContext')).browserContextId
    await allowDownloadsIn(id)
    return id
  }
  return {
    of(session) {
      const found = known.get(session)
      if (found) return found
      known.set(session, Promise.resolve(null))
      const made = make(session)
      known.set(session, made)
      return made
    },
  }
}
