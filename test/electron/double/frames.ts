import type { CdpSession } from './cdp.ts'
import { loud } from './loud.ts'
import { originToElectron, toElectron } from './address.ts'

/** The part of Electron’s `WebFrameMain` that the console and its tests use. */
export interface WebFrameMain {
  readonly frameTreeNodeId: number
  readonly url: string
  readonly origin: string
  readonly parent: WebFrameMain | null
  readonly top: WebFrameMain | null
  readonly frames: WebFrameMain[]
  isDestroyed(): boolean
  postMessage(channel: string, message: unknown, transfer?: unknown[]): void
}

interface Entry {
  parentId: string | null
  url: string
  origin: string
  main: WebFrameMain
}

/** The frames of one page, kept up to date by Chromium’s events. */
export interface FrameTree {
  follow(session: CdpSession): void
  /** Adds a frame before its first event, such as the main frame of a new page. */
  add(frameId: string, parentId: string | null): WebFrameMain
  get(frameId: string): WebFrameMain | null
  /** The origin of a frame’s script, more exact than its address: `about:blank` has its opener’s. */
  setOrigin(frameId: string, origin: string): void
  isMain(frameId: string): boolean
  main(): WebFrameMain | null
}

export function createFrameTree(
  post: (frameId: string, channel: string, message: unknown, transfer: unknown[]) => void,
): FrameTree {
  const entries = new Map<string, Entry>()
  let lastNode = 0

  function add(frameId: string, parentId: string | null): WebFrameMain {
    const known = entries.get(frameId)
    if (known) return known.main
    const frameTreeNodeId = ++lastNode
    const entry = () => {
      const found = entries.get(frameId)
      if (!found) throw new Error('Render frame was disposed before WebFrameMain could be accessed')
      return found
    }
    const main: WebFrameMain = loud<WebFrameMain>('WebFrameMain', {
      frameTreeNodeId,
      get url() {
        return entry().url
      },
      get origin() {
        return entry().origin
      },
      get parent() {
        const { parentId: parent } = entry()
        return parent === null ? null : (entries.get(parent)?.main ?? null)
      },
      get top(): WebFrameMain {
        let each: WebFrameMain = main
        while (each.parent) each = each.parent
        return each
      },
      get frames() {
        return [...entries.values()]
          .filter(({ parentId: parent }) => parent === frameId)
          .map((child) => child.main)
      },
      isDestroyed: () => !entries.has(frameId),
      postMessage(channel, message, transfer = []) {
        entry()
        post(frameId, channel, message, transfer)
      },
    })
    entries.set(frameId, { parentId, url: '', origin: 'null', main })
    return main
  }

  return {
    add,
    get: (frameId) => entries.get(frameId)?.main ?? null,
    setOrigin(frameId, origin) {
      const entry = entries.get(frameId)
      if (entry) entry.origin = originToElectron(origin)
    },
    isMain: (frameId) => entries.get(frameId)?.parentId === null,
    main: () => [...entries.values()].find(({ parentId }) => parentId === null)?.main ?? null,
    follow(session) {
      session.on('Page.frameAttached', ({ frameId, parentFrameId }) => add(frameId, parentFrameId))
      session.on('Page.frameNavigated', ({ frame }) => {
        add(frame.id, frame.parentId ?? null)
        const entry = entries.get(frame.id)!
        entry.url = toElectron(frame.url + (frame.urlFragment ?? ''))
        if (frame.securityOrigin !== '://') entry.origin = originToElectron(frame.securityOrigin)
      })
      session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
        const entry = entries.get(frameId)
        if (entry) entry.url = toElectron(url)
      })
      session.on('Page.frameDetached', ({ frameId, reason }) => {
        // A swap only moves the frame to another process.
        if (reason === 'remove') entries.delete(frameId)
      })
    },
  }
}
