import type { Dialect } from '#contract/dialect.ts'
import type { ErrorView } from '#contract/define.ts'
import { defineStore } from 'pinia'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'

/** The open names of the active connection. */
export const useDialectStore = defineStore('settings.dialect', () => {
  const { client } = useRpc()
  const dialect = createLoadable(() => client.settings.getDialect())

  function start(): () => void {
    dialect.reset()
    void dialect.refresh()
    return dialect.reset
  }

  async function keep(call: Promise<Dialect>): Promise<ErrorView | null> {
    const answer = await attempt(call)
    if (answer.ok) dialect.set(answer.value)
    return answer.ok ? null : answer.error
  }

  return {
    dialect: dialect.state,
    start,
    refresh: dialect.refresh,
    save: (next: Dialect): Promise<ErrorView | null> => keep(client.settings.setDialect(next)),
    resetAll: (): Promise<ErrorView | null> => keep(client.settings.resetDialect()),
  }
})
