import type { Command } from '../../shared/commands/use-commands.ts'
import { useReplayStore } from '../../shared/replay/replay.store.ts'
import type { RecorderTask } from './recorder-task.ts'

/** The query of the page's address by which the recorder is asked for. */
export const recorderQuery = 'recorder'

const titles: Record<RecorderTask['kind'], string> = {
  replay: 'Replay a stored span',
  record: 'Write a span as a signed file',
  check: 'Check a signed file',
}
const kinds = Object.keys(titles) as RecorderTask['kind'][]

/** The task that an address asks for; null for one that is none. */
export function askedTask(asked: string): RecorderTask['kind'] | null {
  return kinds.find((kind) => kind === asked) ?? null
}

/** Leads to Live events, whose filter stays where it is already shown, and asks there. Not while a replay takes its place. */
export const recorderCommands: readonly Command[] = kinds.map((kind) => ({
  id: `events.${kind}`,
  title: titles[kind],
  enabled: () => useReplayStore().replay === null,
  run: async ({ router }) => {
    const { name, query } = router.currentRoute.value
    if (name === 'events') await router.replace({ query: { ...query, [recorderQuery]: kind } })
    else await router.push({ path: '/events', query: { [recorderQuery]: kind } })
  },
}))
