import { inject, type InjectionKey, ref, type Ref } from 'vue'

/** Whether the console's core is heard now. Given by the shell; while it is not, whatever is shown is the last that was known. */
export const heardKey: InjectionKey<Readonly<Ref<boolean>>> = Symbol('heard')

/** Whether the core is heard, as the shell around says; true where there is none. */
export const useHeard = (): Readonly<Ref<boolean>> => inject(heardKey, ref(true))
