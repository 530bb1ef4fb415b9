import type { InputOf } from '#contract/define.ts'
import type { OpenedTable, sheetsContract } from '#contract/people/sheets.ts'
import { computed, onScopeDispose, shallowRef } from 'vue'
import { attempt, toErrorView } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { type TransferState, useFileTransfer } from './use-file-transfer.ts'

/** An upload that is open as a table. `fileId` is the table's. */
export interface TableFile extends OpenedTable {
  name: string
  uploadId: string
}

/** How to open a table again. */
export type TableChoices = Omit<InputOf<typeof sheetsContract, 'open'>, 'fileId'>

/**
 * Uploads a file and opens it as a table, for a component that shows `state`. `inspect` reads the table and returns whether it is one; its
 * file is discarded otherwise. `isInUse`: whether a task may read it, so that it stays when the component goes.
 */
export function useTableFile(
  inspect: (fileId: string, name: string) => Promise<boolean>,
  isInUse: () => boolean,
) {
  const { client } = useRpc()
  const transfer = useFileTransfer()
  const opening = shallowRef<TransferState>({ kind: 'idle' })
  const inspecting = shallowRef(false)
  const table = shallowRef<TableFile | null>(null)
  let current = new AbortController()
  onScopeDispose(release)

  /** Uploads and opens a file. The last one is discarded. */
  async function take(file: File): Promise<void> {
    forget()
    const fileId = await transfer.upload(file)
    if (fileId === null) return
    transfer.reset()
    await open(fileId, file.name)
  }

  /** Opens an upload, as the operator chose; else a workbook at the sheet with the most phone numbers. */
  async function open(uploadId: string, name: string, choice: TableChoices = {}): Promise<void> {
    current.abort()
    const { signal } = (current = new AbortController())
    const before = table.value
    const opened = await read(uploadId, name, choice, signal)
    if (opened) {
      inspecting.value = true
      const isTable = await inspect(opened.fileId, name)
      inspecting.value = false
      if (isTable && !signal.aborted) {
        table.value = { ...opened, name, uploadId }
        if (before && before.fileId !== uploadId) discard(before.fileId)
        return
      }
    }
    if (!before) discard(opened?.fileId, uploadId)
    else if (opened?.fileId !== uploadId) discard(opened?.fileId)
  }

  async function read(fileId: string, name: string, choice: TableChoices, signal: AbortSignal) {
    const report = (doneBytes: number, totalBytes: number) =>
      (opening.value = { kind: 'reading', name, progress: { doneBytes, totalBytes } })
    opening.value = { kind: 'idle' }
    try {
      for await (const step of await client.sheets.open({ fileId, ...choice }, { signal })) {
        if (signal.aborted) return null
        if (step.kind === 'reading') report(step.doneBytes, step.totalBytes)
        else {
          opening.value = { kind: 'idle' }
          return step
        }
      }
    } catch (cause) {
      if (!signal.aborted) opening.value = { kind: 'failed', name, error: toErrorView(cause) }
    }
    return null
  }

  /** Text is its own table, so both may be one file. */
  function discard(...fileIds: (string | undefined)[]): void {
    for (const fileId of new Set(fileIds))
      if (fileId !== undefined) void attempt(client.files.discard({ fileId }))
  }

  /** Ends what runs. The table is in use from now on; the workbook that it was made from is discarded. */
  function keep(): void {
    cancel()
    if (table.value?.isConverted) discard(table.value.uploadId)
    table.value = null
  }

  /** Gives the file up: keeps it for a task that uses it, else discards it. */
  function release(): void {
    if (isInUse()) keep()
    else forget()
  }

  function forget(): void {
    discard(table.value?.fileId, table.value?.uploadId)
    cancel()
    table.value = null
  }

  /** Cancels the upload or the opening of a sheet. An open table stays. */
  function cancel(): void {
    current.abort()
    transfer.reset()
    opening.value = { kind: 'idle' }
  }

  return {
    table,
    state: computed(() => (opening.value.kind === 'idle' ? transfer.state.value : opening.value)),
    isBusy: computed(
      () => inspecting.value || opening.value.kind === 'reading' || transfer.state.value.kind === 'moving',
    ),
    inspecting,
    take,
    open,
    async choose(choice: TableChoices): Promise<void> {
      if (!table.value) return
      const { uploadId, name, sheet, people } = table.value
      await open(uploadId, name, { sheet, isTogether: people === 'together', ...choice })
    },
    keep,
    release,
    cancel,
  }
}
