import { describe, expect, it } from 'vitest'
import {
  defaultCommand,
  type PaletteSection,
  paletteSections,
} from '../../../../renderer/src/app/palette/palette-sections.ts'
import { shortcutGroups } from '../../../../renderer/src/app/palette/shortcut-groups.ts'
import { chordOf, matchKeys } from '../../../../renderer/src/app/palette/use-shortcuts.ts'
import { type Command, pageCommand } from '../../../../renderer/src/shared/commands/use-commands.ts'

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
  it('are written alike for Ctrl and ⌘, and a lone modifier is not a key', () => {
    expect(press('K', { ctrlKey: true })).toBe('mod+k')
    expect(press('k', { metaKey: true })).toBe('mod+k')
    expect(press('Control', { ctrlKey: true })).toBeNull()
    expect(press('?')).toBe('?')
  })

  it('find a digit with Ctrl by its place on the keyboard', () => {
    expect(press('&', { ctrlKey: true, code: 'Digit1' })).toBe('mod+1')
    expect(press('&', { code: 'Digit1' })).toBe('&')
  })

  it('run a sequence only in order', () => {
    expect(matchKeys(commands, null, 'g')).toEqual({ command: undefined, waiting: true })
    expect(matchKeys(commands, 'g', 'o').command?.id).toBe('go')
    expect(matchKeys(commands, null, 'o')).toEqual({ command: undefined, waiting: false })
  })

  it('do not run a command that is not available', () => {
    expect(matchKeys(commands, null, 'p').command).toBeUndefined()
  })
})

describe('the palette', () => {
  const everything = [
    command('connection.open.2', 'Switch to Production'),
    command('go.overview', 'Go to Overview'),
    ...commands,
    command('events.pause', 'Pause events'),
  ]
  const listed = (query: string, found: PaletteSection[] = []) =>
    paletteSections(everything, query, 'events', found).map(({ title, commands }) => [
      title,
      commands.map(({ id }) => id),
    ])

  it('starts with the current page’s actions and ends with connections', () => {
    expect(listed('')).toEqual([
      ['This page', ['events.pause']],
      ['Actions', ['go', 'palette', 'help']],
      ['Pages', ['go.overview']],
      ['Connections', ['connection.open.2']],
    ])
  })

  it('finds actions by words in any order: prefix matches first, then pages', () => {
    expect(listed('o')[0]![1]!.slice(0, 3)).toEqual(['palette', 'go.overview', 'go'])
    expect(listed('overview go')).toEqual([['Actions', ['go.overview', 'go']]])
    expect(listed('nothing')).toEqual([])
    expect(paletteSections([command('go.dnc', 'Go to Do not contact')], 'dnc', 'events')).toHaveLength(1)
  })

  it('leaves out what the current page offers itself', () => {
    const own = command('events.new', 'New event')
    const elsewhere = pageCommand('/events', 'events.new', 'New event')
    const titles = (commands: Command[]) => paletteSections(commands, '', 'events').map(({ title }) => title)
    expect(titles([elsewhere])).toEqual(['This page'])
    expect(paletteSections([elsewhere, own], '', 'events')[0]!.commands).toEqual([own])
    expect(titles([command('app.palette', 'Open command palette')])).toEqual([])
    const found = [{ title: 'Events', commands: [elsewhere] }]
    expect(paletteSections([own], 'new', 'events', found)).toEqual([{ title: 'Actions', commands: [own] }])
  })

  it('lists the pages’ results after the actions', () => {
    const ada = { title: 'Contacts', commands: [command('contacts.found.1', 'Ada')] }
    expect(listed('pause', [ada])).toEqual([
      ['Actions', ['events.pause']],
      ['Contacts', ['contacts.found.1']],
    ])
  })

  it('lists what stops everything last, and runs it by default only once it is typed', () => {
    const all = command('campaigns.pause-all', 'Pause all running campaigns', { broad: true })
    const one = command('campaigns.pause.1', 'Pause campaign All hands')
    const defaultFor = (query: string, found: Command[] = []) => {
      const campaigns = [{ title: 'Campaigns', commands: found }]
      const sections = paletteSections([all], query, 'events', campaigns, [command('events.find', 'Find')])
      return defaultCommand(
        sections.flatMap(({ commands }) => commands),
        query,
      )?.id
    }
    expect(defaultFor('pause')).toBe('events.find')
    expect(defaultFor('pause all')).toBe('campaigns.pause-all')
    expect(defaultFor('pause all', [one])).toBe('campaigns.pause.1')
    expect(paletteSections([all, ...everything], 'pause', 'events').map(({ title }) => title)).toEqual([
      'Actions',
      'Bulk actions',
    ])
  })
})

describe('the shortcuts sheet', () => {
  it('lists the keys of every page under its name, once each, including hidden pages', () => {
    const events = [
      command('events.next', 'Next event', { keys: 'j' }),
      command('events.new', 'New', { keys: 'n' }),
    ]
    const pages = [
      { id: 'events', title: () => 'Live events', keys: () => ({ j: 'Next event' }) },
      { id: 'campaigns', title: () => 'Campaigns', keys: () => ({ r: 'Refresh' }) },
      { id: 'settings', title: () => 'Settings' },
    ]
    const groups = shortcutGroups([...commands, ...events], pages)
    expect(groups.map(({ title, shortcuts }) => [title, shortcuts.map(({ keys }) => keys)])).toEqual([
      ['Global', ['g o', 'mod+k', 'p', '?']],
      ['Live events', ['j', 'n']],
      ['Campaigns', ['r']],
    ])
  })
})
