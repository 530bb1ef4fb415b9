import type { Command } from '../../shared/commands/use-commands.ts'

/**
 * The commands whose title holds every word of `query`, best first: those whose title begins with the first word, then those
 * with a word that begins with it, then the rest. Commands that cannot be done now are left out.
 */
export function rankCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const first = words[0]
  return commands
    .filter((command) => command.enabled?.() ?? true)
    .map((command) => ({ command, title: command.title.toLowerCase() }))
    .filter(({ title }) => words.every((word) => title.includes(word)))
    .map(({ command, title }) => ({ command, rank: rankOf(title, first) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command)
}

function rankOf(title: string, first: string | undefined): number {
  if (first === undefined || title.startsWith(first)) return 0
  return title.includes(` ${first}`) ? 1 : 2
}
