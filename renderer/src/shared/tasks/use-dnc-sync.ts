import { shallowRef } from 'vue'
import type { ErrorView } from '#contract/define.ts'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useTaskEnd } from './use-task.ts'

/** A sync of the DNC list that the page waits for, so that selections and typed text stay. `onEnd` gets its problem if it failed. */
export function useDncSync(onEnd: (problem: ErrorView | null) => void) {
  const { client } = useRpc()
  const taskEnd = useTaskEnd()
  const syncing = shallowRef(false)

  async function sync(): Promise<void> {
    syncing.value = true
    const answer = await attempt(client.dnc.sync())
    const task = answer.ok ? await taskEnd(answer.value.taskId) : null
    syncing.value = false
    onEnd(answer.ok ? (task?.problem ?? null) : answer.error)
  }

  return { syncing, sync }
}
