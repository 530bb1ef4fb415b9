import { type Ref, computed, onScopeDispose, watch } from 'vue'
import type { Client } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { useTasksStore } from '../../shared/tasks/tasks.store.ts'
import { startPolling } from '../../shared/time/polling.ts'

/** What is loaded at once; nobody keeps more by hand. */
const loadedMax = 500
const sendsMax = 100
/** While something of a send is under way its outcome is read again this often. */
const outcomeEveryMs = 2_000

/** What the page reads: templates, channels, sends to many, and the one that is looked at. */
export function useTemplates(
  client: Client,
  shownSend: Readonly<Ref<string | null>>,
  visible: Readonly<Ref<boolean>>,
) {
  const tasks = useTasksStore()
  const templates = createLoadable(() => client.templates.list({ limit: loadedMax }))
  const channels = createLoadable(() => client.templates.channels())
  const sends = createLoadable(() => client.templates.sends({ limit: sendsMax }))
  const send = createLoadable(() => client.templates.sendOf({ id: shownSend.value ?? '' }))

  const refreshSends = () => Promise.all([sends.refresh(), shownSend.value === null ? null : send.refresh()])
  const refresh = () => Promise.all([templates.refresh(), channels.refresh(), refreshSends()])

  /** Steps of sends, as far as they change what is shown. */
  const steps = computed(() =>
    tasks.tasks
      .filter(({ kind }) => kind === 'ott-prepare' || kind === 'ott-queue')
      .map(({ id, state }) => `${id} ${state}`)
      .join(),
  )
  watch(steps, () => void refreshSends())
  watch(shownSend, (id) => {
    send.reset()
    if (id !== null) void send.refresh()
  })

  const isMoving = computed(() => {
    const { state } = send
    if (state.value.kind !== 'ready') return false
    const { outcome, send: shown } = state.value.value
    if (shown.state !== 'queued' || outcome === null) return shown.state === 'queueing'
    return outcome['held-back'] + outcome.queued + outcome.blocked + outcome['in-flight'] > 0
  })
  onScopeDispose(
    startPolling(
      async () => {
        if (shownSend.value !== null && isMoving.value) await send.refresh()
      },
      () => outcomeEveryMs,
      { visible },
    ),
  )
  void refresh()

  return { templates, channels, sends, send, refresh, refreshSends }
}
