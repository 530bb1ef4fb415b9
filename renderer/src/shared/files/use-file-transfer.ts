import type { ErrorView } from '#contract/define.ts'
import { onScopeDispose, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { type TakenFile, type TransferProgress, createFileTransfer } from './file-transfer.ts'

/** Time for the browser to save a blob before its address is revoked, milliseconds. */
const blobLifeMs = 60_000

/** State of a transfer. `fileId` is set once an upload is complete. */
export type TransferState =
  | { kind: 'idle' }
  | { kind: 'moving'; name: string; progress: TransferProgress }
  /** An upload is read by the core, in parts without a unit. */
  | { kind: 'reading'; name: string; progress: TransferProgress }
  | { kind: 'done'; name: string; fileId: string }
  | { kind: 'failed'; name: string; error: ErrorView }

/**
 * Transfers one file at a time to or from the core, for a component that shows `state`. Ends with the component; a new transfer cancels
 * the previous one.
 */
export function useFileTransfer() {
  const { client } = useRpc()
  const transfer = createFileTransfer(client)
  const state = shallowRef<TransferState>({ kind: 'idle' })
  let current = new AbortController()
  onScopeDispose(() => current.abort())

  /** Uploads `file`. Null when it failed or was cancelled; `state` then says why. */
  async function upload(file: File): Promise<string | null> {
    const mine = begin(file.name, file.size)
    try {
      const fileId = await transfer.upload(file, mine)
      mine.signal.throwIfAborted()
      state.value = { kind: 'done', name: file.name, fileId }
      return fileId
    } catch (cause) {
      return fail(mine.signal, file.name, cause)
    }
  }

  /** Downloads a file and has the browser save it under the core’s name or `name`. False when it failed or was cancelled. */
  async function download(fileId: string, name?: string): Promise<boolean> {
    const mine = begin(name ?? 'file', 0)
    try {
      const taken = await transfer.take(fileId, mine)
      saveAs({ ...taken, name: name ?? taken.name })
      state.value = { kind: 'done', name: name ?? taken.name, fileId }
      return true
    } catch (cause) {
      fail(mine.signal, name ?? 'file', cause)
      return false
    }
  }

  function begin(name: string, totalBytes: number) {
    current.abort()
    const mine = new AbortController()
    current = mine
    const { signal } = mine
    state.value = { kind: 'moving', name, progress: { doneBytes: 0, totalBytes } }
    const onProgress = (progress: TransferProgress) => {
      if (!signal.aborted) state.value = { kind: 'moving', name, progress }
    }
    return { signal, onProgress }
  }

  function fail(signal: AbortSignal, name: string, cause: unknown): null {
    if (!signal.aborted) state.value = { kind: 'failed', name, error: toErrorView(cause) }
    return null
  }

  /** Cancels the transfer and clears its state. */
  function reset(): void {
    current.abort()
    state.value = { kind: 'idle' }
  }

  return { state, upload, download, reset }
}

/** Has the browser save a blob under a name, like a link with `download`. */
export function saveAs({ name, content }: TakenFile): void {
  const href = URL.createObjectURL(content)
  Object.assign(document.createElement('a'), { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), blobLifeMs)
}
