import type { Command } from '../../shared/commands/use-commands.ts'
import { t } from './index.texts.ts'

/** The address query through which a command requests an action. */
export const actionQuery = 'action'

const actions = ['replay', 'export', 'verify'] as const

/** The action requested by an address, if any. */
export const actionIn = (asked: string): (typeof actions)[number] | undefined =>
  actions.find((action) => action === asked)

/** Opens Live events, keeping its filter if already open, and starts the action. */
export const actionCommands = () =>
  actions.map((action): Command => ({
    id: `events.${action}`,
    title: t(`actions.${action}`),
    run: async ({ router }) => {
      const { name, query } = router.currentRoute.value
      if (name === 'events') await router.replace({ query: { ...query, [actionQuery]: action } })
      else await router.push({ path: '/events', query: { [actionQuery]: action } })
    },
  }))
