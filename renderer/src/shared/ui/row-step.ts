import type { InjectionKey } from 'vue'

/** Opens the row before or after the open one. A list gives it to the drawer beside it. */
export const rowStepKey: InjectionKey<((distance: 1 | -1) => void) | null> = Symbol('row step')
