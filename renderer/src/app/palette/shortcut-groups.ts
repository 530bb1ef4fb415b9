import type { Command } from '../../shared/commands/use-commands.ts'
import type { Feature } from '../../shared/features/feature.ts'
import { t } from '../shell.texts.ts'

interface ShortcutGroup {
  title: string
  shortcuts: readonly { keys: string; title: string }[]
}

/**
 * Every shortcut by page: global ones first, then each page’s. A page lists its shortcuts in `keys`; commands it adds while shown (ids
 * begin with the page’s id) are included.
 */
export function shortcutGroups(
  commands: readonly Command[],
  pages: readonly Pick<Feature, 'id' | 'title' | 'keys'>[],
): ShortcutGroup[] {
  const offered = commands.flatMap(({ id, keys, title }) => (keys ? [{ id, keys, title }] : []))
  const isOf = (page: { id: string }, command: { id: string }) => command.id.startsWith(`${page.id}.`)
  const everywhere = offered.filter((command) => !pages.some((page) => isOf(page, command)))
  const groups = pages.map((page) => {
    const listed = Object.entries(page.keys?.() ?? {}).map(([keys, title]) => ({ keys, title }))
    const more = offered.filter(
      (command) => isOf(page, command) && !listed.some(({ keys }) => keys === command.keys),
    )
    return { title: page.title(), shortcuts: [...listed, ...more] }
  })
  return [{ title: t('shortcuts.global'), shortcuts: everywhere }, ...groups].filter(
    ({ shortcuts }) => shortcuts.length > 0,
  )
}
