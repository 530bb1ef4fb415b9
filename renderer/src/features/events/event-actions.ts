import type { Command } from '../../shared/commands/use-commands.ts'
import { t } from './index.texts.ts'

/** The query of the page's address by which a command asks for an action. */
export const actionQuery = 'action'

const actions = ['replay', 'export', 'verify'] as const

/** The action that an address asks for, if any. */
export const askedAction = (asked: string): (typeof actions)[number] | undefined =>
  actions.find((action) => action === asked)

/** Opens Live events, keeps its filter if it is already open, and starts the action there. */
export const actionCommands: readonly Command[] = actions.map((action) => ({
  id: `events.${action}`,
  get title() {
    return t(`actions.${action}`)
  },
  run: async ({ router }) => {
    const { name, query } = router.currentRoute.value
    if (name === 'events') await router.replace({ query: { ...query, [actionQuery]: action } })
    else await router.push({ path: '/events', query: { [actionQuery]: action } })
  },
}))
