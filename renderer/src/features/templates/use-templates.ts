import type { OutboxStatus } from '#contract/people/outbox.ts'
import type { BulkSend } from '#contract/people/templates.ts'
import { useQueryClient } from '@tanstack/vue-query'
import { computed, watch } from 'vue'
import type { Client } from '../../rpc/rpc.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { useTasksStore } from '../../shared/tasks/tasks.store.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'

/** Loaded at once: an operator has fewer templates than this. */
const loadedMax = 500
const sendsMax = 100
/** Refresh interval of results while a send runs, milliseconds. */
const outcomeEveryMs = 2_000

export type ShownSend = Awaited<ReturnType<Client['templates']['sendOf']>>
export type ListedSends = Awaited<ReturnType<Client['templates']['sends']>>

/** Messages that have not left. */
export const openIn = (outcome: Record<OutboxStatus, number>): number =>
  outcome.undoable + outcome.scheduled + outcome.queued + outcome.blocked + outcome['in-flight']

/** A dry run or a queueing may end before its first answer arrives. The open requests of a queued one may be retries, which have their own batch. */
const isMoving = ({ state }: BulkSend) => ['preparing', 'queueing', 'scheduled', 'queued'].includes(state)

/** What the page shows: templates, channels, bulk sends, and the open one. */
export function useTemplates(shownSend: () => string | null) {
  const cache = useQueryClient()
  const keyOf = useQueryKey()
  const tasks = useTasksStore()

  const templates = useAnswer(
    () => ['templates', 'list'],
    (client, signal) => client.templates.list({ limit: loadedMax }, { signal }),
  )
  const channels = useAnswer(
    () => ['templates', 'channels'],
    (client, signal) => client.templates.channels(undefined, { signal }),
  )
  const sends = useAnswer(
    () => ['templates', 'sends'],
    (client, signal) => client.templates.sends({ limit: sendsMax }, { signal }),
    () => ({
      refetchInterval: (answer) =>
        shownSend() === null && answer?.items.some(isMoving) ? outcomeEveryMs : false,
    }),
  )
  const send = useAnswer(
    () => ['templates', 'send', shownSend()],
    (client, signal) => client.templates.sendOf({ id: shownSend()! }, { signal }),
    () => ({
      enabled: shownSend() !== null,
      refetchInterval: (answer) => (answer && isMoving(answer.send) ? outcomeEveryMs : false),
    }),
  )

  const refresh = () => cache.invalidateQueries({ queryKey: keyOf('templates') })
  const steps = computed(() =>
    tasks.tasks
      .filter(({ kind }) => kind === 'ott-prepare' || kind === 'ott-queue')
      .map(({ id, state }) => `${id} ${state}`)
      .join(),
  )
  watch(steps, () => {
    void cache.invalidateQueries({ queryKey: keyOf('templates', 'sends') })
    void cache.invalidateQueries({ queryKey: keyOf('templates', 'send') })
  })

  const lists = [templates, channels, sends]
  return {
    templates,
    /** Whether templates, channels and bulk sends are known, and why one of them couldn't be read last. */
    isLoaded: computed(() => lists.every(({ data }) => data.value !== undefined)),
    problem: computed(() => lists.find(({ problem }) => problem.value)?.problem.value ?? null),
    all: computed(() => templates.data.value?.items ?? []),
    channels: computed(() => channels.data.value?.items ?? []),
    setChannels: channels.set,
    sends: computed(() => sends.data.value ?? null),
    send,
    refresh,
  }
}
export type TemplatesData = ReturnType<typeof useTemplates>
