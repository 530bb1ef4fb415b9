import { createBirpc } from 'birpc'
import type { MessagePort } from 'node:worker_threads'
import { AppError } from '../../contract/errors.ts'
import type { ImportFunctions } from '../contact-store/protocol.ts'

/** The contact store's import calls, from a job. They reject with `CONTACTS_FAILED` once the contact store is gone. */
export type ImportCalls = {
  [Name in keyof ImportFunctions]: (
    ...args: Parameters<ImportFunctions[Name]>
  ) => Promise<Awaited<ReturnType<ImportFunctions[Name]>>>
}

/** The contact store behind a port. When it closes, current and later calls reject. */
export function createImportCalls(port: MessagePort): ImportCalls {
  const gone = () => new AppError('CONTACTS_FAILED', { detail: { key: 'contactStore.threadEnded' } })
  const rpc = createBirpc<ImportFunctions>(
    {},
    {
      post: (data) => port.postMessage(data),
      on: (receive) => void port.on('message', receive),
      timeout: -1,
    },
  )
  const calls = rpc as unknown as ImportCalls
  port.on('close', () => rpc.$close(gone()))
  const guarded = <T>(call: () => Promise<T>): Promise<T> => (rpc.$closed ? Promise.reject(gone()) : call())
  return {
    openImport: (importId) => guarded(() => calls.openImport(importId)),
    importRows: (batch) => guarded(() => calls.importRows(batch)),
    releaseImport: () => guarded(() => calls.releaseImport()),
    closeImport: () => guarded(() => calls.closeImport()),
  }
}
