import { describe, expect, it } from 'vitest'
import { rankCommands } from '../../../../renderer/src/app/palette/rank-commands.ts'
import { shortcutGroups } from '../../../../renderer/src/app/palette/shortcut-groups.ts'
import { chordOf, matchKeys } from '../../../../renderer/src/app/palette/use-shortcuts.ts'
import type { Command } from '../../../../renderer/src/shared/commands/use-commands.ts'

const command = (id: string, title: string, more: Partial<Command> = {}): Command => ({
  id,
  title,
  run: () => {},
  ...more,
})
const commands = [
  command('go', 'Go to Overview', { keys: 'g o' }),
  command('palette', 'Open the command palette', { keys: 'mod+k' }),
  command('off', 'Pause the view', { keys: 'p', enabled: () => false }),
  command('help', 'Show keyboard shortcuts', { keys: '?' }),
]
const press = (key: string, more: Partial<KeyboardEvent> = {}) =>
  chordOf({ key, ctrlKey: false, metaKey: false, altKey: false, ...more })

describe('keys', () => {
  it('are written alike for Ctrl and ⌘, and a lone modifier is none', () => {
    expect(press('K', { ctrlKey: true })).toBe('mod+k')
    expect(press('k', { metaKey: true })).toBe('mod+k')
    expect(press('Control', { ctrlKey: true })).toBeNull()
    expect(press('?')).toBe('?')
  })

  it('run a sequence only in its order', () => {
    expect(matchKeys(commands, null, 'g')).toEqual({ command: undefined, waiting: true })
    expect(matchKeys(commands, 'g', 'o').command?.id).toBe('go')
    expect(matchKeys(commands, null, 'o')).toEqual({ command: undefined, waiting: false })
  })

  it('do not run what cannot be done now', () => {
    expect(matchKeys(commands, null, 'p').command).toBeUndefined()
  })
})

describe('the palette', () => {
  const titles = (query: string) => rankCommands(commands, query).map(({ id }) => id)

  it('offers everything that can be done when nothing is typed', () => {
    expect(titles('')).toEqual(['go', 'palette', 'help'])
  })

  it('finds by words in any order, best beginning first', () => {
    expect(titles('o')).toEqual(['palette', 'go', 'help'])
    expect(titles('overview go')).toEqual(['go'])
    expect(titles('nothing')).toEqual([])
  })
})

describe('the shortcuts sheet', () => {
  it('lists the keys of every page under its name, shown or not, and each once', () => {
    const events = [
      command('events.next', 'Next event', { keys: 'j' }),
      command('events.new', 'New', { keys: 'n' }),
    ]
    const pages = [
      { id: 'events', title: 'Live events', keys: [{ keys: 'j', title: 'Next event' }] },
      { id: 'campaigns', title: 'Campaigns', keys: [{ keys: 'r', title: 'Refresh' }] },
      { id: 'settings', title: 'Settings' },
    ]
    const groups = shortcutGroups([...commands, ...events], pages)
    expect(groups.map(({ title, shortcuts }) => [title, shortcuts.map(({ keys }) => keys)])).toEqual([
      ['Everywhere', ['g o', 'mod+k', 'p', '?']],
      ['Live events', ['j', 'n']],
      ['Campaigns', ['r']],
    ])
  })
})
