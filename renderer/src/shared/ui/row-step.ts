import type { InjectionKey } from 'vue'

/** Opens the previous or next row. A list provides it to its drawer. */
export const rowStepKey: InjectionKey<((distance: 1 | -1) => void) | null> = Symbol('row step')
