import { createBirpc } from 'birpc'
import type { MessagePort } from 'node:worker_threads'
import { AppError } from '../../contract/errors.ts'
import type { ImportFunctions } from '../book/protocol.ts'

/** The book's import calls, from a job. They reject with `BOOK_FAILED` once the book is gone. */
export type ImportingBook = {
  [Name in keyof ImportFunctions]: (
    ...args: Parameters<ImportFunctions[Name]>
  ) => Promise<Awaited<ReturnType<ImportFunctions[Name]>>>
}

/** The book behind a port. When it closes, current and later calls reject. */
export function createImportingBook(port: MessagePort): ImportingBook {
  const gone = () => new AppError('BOOK_FAILED', { detail: { key: 'book.threadEnded' } })
  const rpc = createBirpc<ImportFunctions>(
    {},
    {
      post: (data) => port.postMessage(data),
      on: (receive) => void port.on('message', receive),
      timeout: -1,
    },
  )
  const book = rpc as unknown as ImportingBook
  port.on('close', () => rpc.$close(gone()))
  const guarded = <T>(call: () => Promise<T>): Promise<T> => (rpc.$closed ? Promise.reject(gone()) : call())
  return {
    openImport: (importId) => guarded(() => book.openImport(importId)),
    importRows: (batch) => guarded(() => book.importRows(batch)),
    releaseImport: () => guarded(() => book.releaseImport()),
    closeImport: () => guarded(() => book.closeImport()),
  }
}
