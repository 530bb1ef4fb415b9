import { createSharedComposable } from '@vueuse/core'
import type { Router } from 'vue-router'
import { type MaybeRefOrGetter, type ShallowRef, onScopeDispose, shallowRef, toValue, computed } from 'vue'

/** What a command may reach. */
export interface CommandContext {
  router: Router
}

/** One thing the operator can do by name, from the palette or by its keys. */
export interface Command {
  /** Unique, e.g. `events.pause-view`. */
  id: string
  /** As the palette shows it, beginning with a verb. */
  title: string
  /** Secondary text beside the title: a number, a status. */
  detail?: string
  /** Shortcut: `mod+k`, `g o` (one after the other), `/`. Shown in the shortcuts sheet. */
  keys?: string
  /** False while it cannot be done; it is then not offered. */
  enabled?: () => boolean
  run(context: CommandContext): void | Promise<void>
}

interface CommandRegistry {
  all: ShallowRef<readonly Command[]>
  /** Offers commands until the calling scope ends, e.g. while a page is shown. */
  offer(commands: MaybeRefOrGetter<readonly Command[]>): void
}

/** The commands on offer in this window. */
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

/** Offers `commands` in the palette and by their keys while the calling component lives. */
export function useCommands(commands: MaybeRefOrGetter<readonly Command[]>): void {
  useCommandRegistry().offer(commands)
}
