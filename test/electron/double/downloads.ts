import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CdpSession } from './cdp.ts'
import { toElectron } from './address.ts'
import { DoubleEmitter, loud, preventable } from './loud.ts'
import type { Session } from './session.ts'

type State = 'progressing' | 'completed' | 'cancelled' | 'interrupted'

interface Download {
  item: DoubleEmitter
  savePath: string
  state: State
}

/** A blob’s address names its page. */
const addressOf = (url: string) =>
  url.startsWith('blob:') ? `blob:${toElectron(url.slice('blob:'.length))}` : toElectron(url)

/**
 * Downloads, checked by the session’s `will-download` and run to their end. Electron would ask where to save one without a `savePath`;
 * here it lands in `folder` under its own name.
 */
export function createDownloads(
  root: CdpSession,
  folder: string,
  ownerOf: (frameId: string) => { session: Session } | undefined,
): { allowIn(browserContextId: string | null): Promise<void> } {
  const running = new Map<string, Download>()

  root.on('Browser.downloadWillBegin', ({ frameId, guid, url, suggestedFilename }) => {
    const download: Download = {
      item: new DoubleEmitter('DownloadItem', ['updated', 'done']),
      savePath: join(folder, suggestedFilename),
      state: 'progressing',
    }
    const cancel = () => {
      download.state = 'cancelled'
      root.send('Browser.cancelDownload', { guid }).catch(() => {})
    }
    const item = loud(
      'DownloadItem',
      Object.assign(download.item, {
        getURL: () => addressOf(url),
        getFilename: () => suggestedFilename,
        getSavePath: () => download.savePath,
        setSavePath: (path: string) => void (download.savePath = path),
        getState: () => download.state,
        cancel,
      }),
    )
    const event = preventable({})
    ownerOf(frameId)?.session.emit('will-download', event, item, null)
    running.set(guid, download)
    if (event.defaultPrevented) cancel()
  })
  root.on('Browser.downloadProgress', ({ guid, state, filePath }) => {
    const download = running.get(guid)
    if (!download || state === 'inProgress') return
    running.delete(guid)
    // The test’s own connection to this Chromium may have set another folder since.
    const written = filePath ?? join(folder, guid)
    // A small file may be complete before its end is reported.
    if (download.state === 'progressing' && state === 'completed') {
      copyFileSync(written, download.savePath)
      download.state = 'completed'
    } else download.state = 'cancelled'
    rmSync(written, { force: true })
    download.item.emit('done', {}, download.state)
  })

  return {
    async allowIn(browserContextId) {
      mkdirSync(folder, { recursive: true })
      await root.send('Browser.setDownloadBehavior', {
        behavior: 'allowAndName',
        downloadPath: folder,
        eventsEnabled: true,
        ...(browserContextId === null ? {} : { browserContextId }),
      })
    },
  }
}
