import { AppError } from '#contract/errors.ts'
import { pieceBytes } from '#contract/limits.ts'
import type { Script } from './script.ts'

/** Uploads and downloads in memory. `put` adds a file to download. */
export function scriptedFiles() {
  const files = new Map<string, { name: string; bytes: Buffer }>()
  const byId = (fileId: string) => {
    const found = files.get(fileId)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This file' })
    return found
  }
  const put = (fileId: string, name: string, text: string) =>
    void files.set(fileId, { name, bytes: Buffer.from(text) })
  put('file-export', 'contacts.csv', 'name,phone\r\nAda,+442079460000\r\n')

  const answers: Script['files'] = {
    begin: ({ name }) => {
      const fileId = `file-${files.size + 1}`
      put(fileId, name, '')
      return { fileId }
    },
    append: ({ fileId, offset, base64 }) => {
      const file = byId(fileId)
      if (offset !== file.bytes.length) throw new AppError('INVALID_INPUT', { detail: 'offset' })
      file.bytes = Buffer.concat([file.bytes, Buffer.from(base64, 'base64')])
      return { receivedBytes: file.bytes.length }
    },
    discard: ({ fileId }) => void files.delete(fileId),
    read: ({ fileId, offset }) => {
      const { name, bytes } = byId(fileId)
      const piece = bytes.subarray(offset, offset + pieceBytes)
      return {
        name,
        sizeBytes: bytes.length,
        base64: piece.toString('base64'),
        endOfFile: offset + piece.length >= bytes.length,
      }
    },
  }
  return { answers, put, textOf: (fileId: string) => byId(fileId).bytes.toString() }
}
