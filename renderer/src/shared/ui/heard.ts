import type { InjectionKey, Ref } from 'vue'

/** Whether the console's core is heard now. Given by the shell; while it is not, whatever is shown is the last that was known. */
export const heardKey: InjectionKey<Readonly<Ref<boolean>>> = Symbol('heard')
