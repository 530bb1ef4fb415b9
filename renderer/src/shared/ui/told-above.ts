import type { ErrorView } from '#contract/define.ts'
import type { InjectionKey, Ref } from 'vue'

/**
 * What the shell says above every page already. Given by the shell; a notice of the same error says so in a few words instead of
 * repeating the whole.
 */
export const toldAboveKey: InjectionKey<Readonly<Ref<ErrorView | null>>> = Symbol('told above')
