import type { ErrorView } from '#contract/define.ts'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useFileTransfer } from '../files/use-file-transfer.ts'
import { useTaskEnd } from './use-task.ts'

/** Buttons that each have a task write a file, which is then saved. `writing` is the button whose file is being written. */
export function useWrittenFile<Which extends string>() {
  const taskEnd = useTaskEnd()
  const transfer = useFileTransfer()
  const writing = shallowRef<Which | null>(null)
  const error = shallowRef<ErrorView | null>(null)

  async function write(which: Which, call: Promise<{ taskId: string }>): Promise<void> {
    writing.value = which
    error.value = null
    const answer = await attempt(call)
    const task = answer.ok ? await taskEnd(answer.value.taskId) : null
    writing.value = null
    if (task?.state === 'done' && task.refId !== null) void transfer.download(task.refId)
    else error.value = answer.ok ? (task?.problem ?? null) : answer.error
  }

  return { writing, error, write, transfer: transfer.state, cancelTransfer: transfer.reset }
}
