import { inject, type InjectionKey, ref, type Ref } from 'vue'

/** Whether the core responds, provided by the shell. Without it, shown data is the last known. */
export const coreConnectedKey: InjectionKey<Readonly<Ref<boolean>>> = Symbol('core connected')

/** Whether the core responds; true outside the shell. */
export const useCoreConnected = (): Readonly<Ref<boolean>> => inject(coreConnectedKey, ref(true))
