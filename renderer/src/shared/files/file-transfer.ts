import { pieceBytes } from '#contract/limits.ts'
import { attempt, toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { fromBase64, toBase64 } from './base64.ts'

/** How often one piece is handed in again after the way to the core broke. */
const mostTries = 5

/** How far a transfer is, in bytes. */
export interface TransferProgress {
  doneBytes: number
  totalBytes: number
}

/** What a transfer may be given. */
export interface TransferOptions {
  onProgress?: (progress: TransferProgress) => void
  /** Ends it; it then rejects with the signal's reason, and the core forgets what was handed in. */
  signal?: AbortSignal
}

/** A whole file that was taken out of the core. */
export interface TakenFile {
  name: string
  content: Blob
}

/** Files between this window and the core, in pieces. Both calls reject with what the core's calls reject with. */
export interface FileTransfer {
  /** Hands a file in and gives the id that the core knows it by. Of the file only one piece at a time is in memory. */
  upload(file: File, options?: TransferOptions): Promise<string>
  /** Takes a file out that the core wrote. Its bytes go to the browser's blob store as they come, which spills to disk. */
  take(fileId: string, options?: TransferOptions): Promise<TakenFile>
}

/** Makes the transfer over `client`. */
export function createFileTransfer(client: Pick<Client, 'files'>): FileTransfer {
  async function upload(file: File, { onProgress, signal }: TransferOptions = {}): Promise<string> {
    const { fileId } = await client.files.begin({
      name: file.name.slice(-255) || 'file',
      sizeBytes: file.size,
    })
    try {
      let doneBytes = 0
      while (doneBytes < file.size) {
        onProgress?.({ doneBytes, totalBytes: file.size })
        signal?.throwIfAborted()
        const piece = await file.slice(doneBytes, doneBytes + pieceBytes).arrayBuffer()
        // A file that became shorter meanwhile gives no more bytes; the core then finds that some are missing.
        if (piece.byteLength === 0) break
        doneBytes = await append(fileId, doneBytes, new Uint8Array(piece))
      }
      signal?.throwIfAborted()
      onProgress?.({ doneBytes, totalBytes: file.size })
      return fileId
    } catch (cause) {
      void attempt(client.files.discard({ fileId }))
      throw cause
    }
  }

  /** When the way broke it is not known whether the piece arrived: an empty piece at its end is taken only if it did. */
  async function append(fileId: string, offset: number, bytes: Uint8Array): Promise<number> {
    const base64 = toBase64(bytes)
    for (let tries = 1; ; tries++) {
      try {
        return (await client.files.append({ fileId, offset, base64 })).receivedBytes
      } catch (cause) {
        if (tries === mostTries || toErrorView(cause).code !== 'DISCONNECTED') throw cause
        const end = offset + bytes.length
        const arrived = await attempt(client.files.append({ fileId, offset: end, base64: '' }))
        if (arrived.ok && arrived.value.receivedBytes === end) return end
      }
    }
  }

  async function take(fileId: string, { onProgress, signal }: TransferOptions = {}): Promise<TakenFile> {
    const pieces: Blob[] = []
    let offset = 0
    while (true) {
      signal?.throwIfAborted()
      const piece = await read(fileId, offset)
      signal?.throwIfAborted()
      const bytes = fromBase64(piece.base64)
      pieces.push(new Blob([bytes]))
      offset += bytes.length
      onProgress?.({ doneBytes: offset, totalBytes: piece.sizeBytes })
      // A piece without bytes that is not the last would be asked for without end.
      if (piece.endOfFile || bytes.length === 0) {
        return { name: piece.name, content: new Blob(pieces, { type: 'application/octet-stream' }) }
      }
    }
  }

  /** Reading changes nothing, so it may be asked for again. */
  async function read(fileId: string, offset: number) {
    for (let tries = 1; ; tries++) {
      try {
        return await client.files.read({ fileId, offset })
      } catch (cause) {
        if (tries === mostTries || toErrorView(cause).code !== 'DISCONNECTED') throw cause
      }
    }
  }

  return { upload, take }
}
