import { inject, type InjectionKey, ref, type Ref } from 'vue'

/** Whether the core responds, provided by the shell. Without it, shown data is the last known. */
export const heardKey: InjectionKey<Readonly<Ref<boolean>>> = Symbol('heard')

/** Whether the core responds; true outside the shell. */
export const useHeard = (): Readonly<Ref<boolean>> => inject(heardKey, ref(true))
