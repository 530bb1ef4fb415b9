import type { Command } from '../../shared/commands/use-commands.ts'
import { t } from '../shell.texts.ts'

export interface PaletteSection {
  title: string
  commands: readonly Command[]
}

/**
 * What the palette lists. Without text: actions of the current page (`pageId`), then other actions, pages and connections, so that
 * Enter never leaves the page by accident. With text: matching commands, the pages' results, what stops everything, then
 * searches for the text.
 * Disabled commands, the one that opens the palette, those that the current page offers itself, and empty sections are skipped.
 */
export function paletteSections(
  commands: readonly Command[],
  query: string,
  pageId: string,
  found: readonly PaletteSection[] = [],
  texts: readonly Command[] = [],
): PaletteSection[] {
  const offered = new Set(commands.filter(({ opensPage }) => !opensPage).map(({ id }) => id))
  const isNew = ({ id, opensPage }: Command) => !opensPage || !offered.has(id)
  const usable = commands.filter(
    (command) => command.id !== 'app.palette' && isNew(command) && (command.enabled?.() ?? true),
  )
  const isOf = (prefix: string) => (command: Command) => command.id.startsWith(`${prefix}.`)
  const titles = {
    page: t('palette.thisPage'),
    actions: t('palette.actions'),
    pages: t('palette.pages'),
    connections: t('palette.connections'),
  }
  const sectionOf = (command: Command): keyof typeof titles => {
    if (isOf(pageId)(command)) return 'page'
    if (isOf('go')(command)) return 'pages'
    return isOf('connection')(command) ? 'connections' : 'actions'
  }
  const groups = Object.groupBy(usable, sectionOf)
  const ordered = (Object.keys(titles) as (keyof typeof titles)[]).map((key) => ({
    title: titles[key],
    commands: groups[key] ?? [],
  }))
  if (query.trim() === '') return ordered.filter((section) => section.commands.length > 0)
  const matches = matching(
    ordered.flatMap((each) => each.commands),
    query,
    // A page's own command is found by the words of the one that opens the page.
    (command) => command.words ?? commands.find(({ id, words }) => id === command.id && words)?.words ?? '',
  )
  const sections = [
    { title: titles.actions, commands: matches.filter(({ broad }) => !broad) },
    ...found.map((section) => ({ ...section, commands: section.commands.filter(isNew) })),
    { title: t('palette.everything'), commands: matches.filter(({ broad }) => broad) },
    { title: t('palette.search'), commands: texts },
  ]
  return sections.filter((section) => section.commands.length > 0)
}

/** What Enter runs before anything is selected: the first command. One that stops everything only once two words of its title are typed. */
export function defaultCommand(commands: readonly Command[], query: string): Command | undefined {
  const typed = query.trim().toLowerCase()
  const [first] = commands
  if (typed === '' || !first?.broad) return typed === '' ? undefined : first
  const isTyped = typed.includes(' ') && first.title.toLowerCase().startsWith(typed)
  return isTyped ? first : commands.find(({ broad }) => !broad)
}

/**
 * Commands whose title or further words contain every word of `query`; pages also by their id, such as `dnc`. Titles that start with the first word come
 * first, then words that do. Pages come before actions: the name of a page and Enter only open it.
 */
function matching(
  commands: readonly Command[],
  query: string,
  wordsOf: (command: Command) => string,
): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const isPage = ({ id }: Command) => id.startsWith('go.')
  const rank = (title: string) => (title.startsWith(words[0]!) ? 0 : title.includes(` ${words[0]!}`) ? 1 : 2)
  return commands
    .map((command) => ({
      command,
      title: command.title.toLowerCase(),
      further: wordsOf(command).toLowerCase(),
      page: isPage(command),
    }))
    .filter(({ command: { id }, title, further, page }) =>
      words.every((word) => `${title} ${further}`.includes(word) || (page && id.slice(3).includes(word))),
    )
    .sort((a, b) => rank(a.title) - rank(b.title) || Number(b.page) - Number(a.page))
    .map(({ command }) => command)
}
