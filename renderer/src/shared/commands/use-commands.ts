import { createSharedComposable, until } from '@vueuse/core'
import { type RouteLocationRaw, type Router, useRouter } from 'vue-router'
import {
  type MaybeRefOrGetter,
  type Ref,
  type ShallowRef,
  onScopeDispose,
  shallowRef,
  toValue,
  computed,
} from 'vue'

interface CommandContext {
  router: Router
  commands: Ref<readonly Command[]>
}

/** Something the operator can run from the palette or by its keys. */
export interface Command {
  /** Unique, e.g. `events.pause-view`. */
  id: string
  /** Title in the palette; begins with a verb. */
  title: string
  /** Further words that find it in the palette. */
  words?: string
  /** Secondary text beside the title: a number, a status. */
  detail?: string
  /** Shortcut: `mod+k`, `g o` (one after the other), `/`. Shown in the shortcuts sheet. */
  keys?: string
  /** False while it is not available; the palette then hides it. */
  enabled?: () => boolean
  /** What the host must be able to do, for a command of every page. */
  needs?: string
  /** True for one that stops everything at once. The palette lists it last, and Enter runs it only once its title is typed. */
  broad?: true
  /** True for one that opens its page and runs the page's command of the same id. */
  opensPage?: true
  run(context: CommandContext): void | Promise<void>
}

interface CommandRegistry {
  all: ShallowRef<readonly Command[]>
  /** Registers commands until the calling scope ends, such as while a page is shown. */
  offer(commands: MaybeRefOrGetter<readonly Command[]>): void
}

/** The available commands of this window. */
export const useCommandRegistry = createSharedComposable((): CommandRegistry => {
  const sources = shallowRef<readonly MaybeRefOrGetter<readonly Command[]>[]>([])
  return {
    all: computed(() => sources.value.flatMap((source) => toValue(source))),
    offer(commands) {
      sources.value = [...sources.value, commands]
      onScopeDispose(() => (sources.value = sources.value.filter((source) => source !== commands)))
    },
  }
})

/** Registers `commands` for the palette and their keys while the calling component lives. */
export function useCommands(commands: MaybeRefOrGetter<readonly Command[]>): void {
  useCommandRegistry().offer(commands)
}

/** Runs a command by its id, if it is available; where the page itself offers it, there. */
export function useRunCommand(): (id: string) => void {
  const commands = useCommandRegistry().all
  const router = useRouter()
  return (id) => {
    const isOffered = (one: Command) => one.id === id && (one.enabled?.() ?? true)
    void commands.value.findLast(isOffered)?.run({ router, commands })
  }
}

/** A command that opens a place. */
export const goTo = (
  to: RouteLocationRaw,
  id: string,
  title: string,
  more: Partial<Command> = {},
): Command => ({
  id,
  title,
  ...more,
  run: async ({ router }) => void (await router.push(to)),
})

/** Time for a page to load and offer a command, milliseconds. Later it would surprise. */
const pagePatienceMs = 5_000

/** A command of a page, from anywhere: opens `path` and runs the command with this id when the page offers it. */
export const pageCommand = (path: string, id: string, title: string, words = ''): Command => ({
  id,
  opensPage: true,
  title,
  words,
  async run(context) {
    if (await context.router.push(path)) return
    const place = context.router.currentRoute.value
    const offered = () =>
      context.commands.value.find((one) => one.id === id && !one.opensPage && (one.enabled?.() ?? true))
    const isDone = () => offered() !== undefined || context.router.currentRoute.value.path !== place.path
    await until(isDone).toBe(true, { timeout: pagePatienceMs })
    if (context.router.currentRoute.value.path === place.path) await offered()?.run(context)
  },
})
