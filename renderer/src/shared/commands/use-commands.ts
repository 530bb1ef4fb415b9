import { createSharedComposable } from '@vueuse/core'
import type { Router } from 'vue-router'
import { type MaybeRefOrGetter, type ShallowRef, onScopeDispose, shallowRef, toValue, computed } from 'vue'

/** What a command can use. */
export interface CommandContext {
  router: Router
}

/** Something the operator can run from the palette or by its keys. */
export interface Command {
  /** Unique, e.g. `events.pause-view`. */
  id: string
  /** Title in the palette; begins with a verb. */
  title: string
  /** Secondary text beside the title: a number, a status. */
  detail?: string
  /** Shortcut: `mod+k`, `g o` (one after the other), `/`. Shown in the shortcuts sheet. */
  keys?: string
  /** False while it is not available; the palette then hides it. */
  enabled?: () => boolean
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
