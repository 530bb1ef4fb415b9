import type { Connection } from '#contract/connection/connections.ts'
import type { ErrorView } from '#contract/define.ts'
import { shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useOpening } from '../../shared/connections/use-opening.ts'
import {
  type ConnectField,
  type ConnectForm,
  fieldOf,
  missingFields,
  toConnectInput,
} from './connect-form.ts'

type Target = 'service' | 'sandbox' | 'saved'

/** `incomplete` names the empty fields; `failed` names the field of the error. */
export type ConnectState =
  | { kind: 'idle' }
  | { kind: 'incomplete'; fields: ConnectField[] }
  | { kind: 'connecting'; what: Target }
  | { kind: 'failed'; error: ErrorView; field: ConnectField | null; what: Target }
  | { kind: 'connected' }

/** Creates a connection. Stores no secret: the page passes its form in. */
export function useConnect() {
  const { client } = useRpc()
  const { during } = useOpening()
  const state = shallowRef<ConnectState>({ kind: 'idle' })

  /** True if a connection is open afterwards. While connecting, a second call does nothing. */
  async function run(what: Target, call: () => Promise<{ connection: Connection }>): Promise<boolean> {
    if (state.value.kind === 'connecting') return false
    state.value = { kind: 'connecting', what }
    const answer = await attempt(during(call()))
    state.value = answer.ok
      ? { kind: 'connected' }
      : { kind: 'failed', error: answer.error, field: fieldOf(answer.error.code), what }
    return answer.ok
  }

  return {
    state,
    async submit(form: ConnectForm, evenOffline = false): Promise<boolean> {
      const fields = missingFields(form)
      if (fields.length > 0) {
        state.value = { kind: 'incomplete', fields }
        return false
      }
      return await run('service', () => client.connections.connect(toConnectInput(form, evenOffline)))
    },
    openSandbox: (): Promise<boolean> => run('sandbox', () => client.connections.openSandbox()),
    openSaved: (id: string): Promise<boolean> => run('saved', () => client.connections.open({ id })),
  }
}
