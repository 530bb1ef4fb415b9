import { useEventListener } from '@vueuse/core'
import { useRouter } from 'vue-router'
import type { Command } from '../../shared/commands/use-commands.ts'
import { useCommandRegistry } from '../../shared/commands/use-commands.ts'

/** How long the second key of a sequence such as `g o` may take, milliseconds. */
const sequencePatienceMs = 1_200

/** A pressed key in the form that commands write: `mod+k`, `?`, `g`, `escape`. Null for a lone modifier. */
export function chordOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>): string | null {
  if (['Control', 'Meta', 'Alt', 'Shift'].includes(event.key)) return null
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  const modifiers = [...(event.ctrlKey || event.metaKey ? ['mod'] : []), ...(event.altKey ? ['alt'] : [])]
  return [...modifiers, key].join('+')
}

/**
 * Finds the command of the keys pressed so far. `waiting` is true when they begin a longer sequence.
 * `lastChord` is the key before, or null.
 */
export function matchKeys(
  commands: readonly Command[],
  lastChord: string | null,
  chord: string,
): { command: Command | undefined; waiting: boolean } {
  const usable = commands.filter((command) => command.keys && (command.enabled?.() ?? true))
  const sequence = lastChord === null ? undefined : `${lastChord} ${chord}`
  const command = usable.find((one) => one.keys === sequence) ?? usable.find((one) => one.keys === chord)
  return { command, waiting: !command && usable.some((one) => one.keys!.startsWith(`${chord} `)) }
}

/** Runs commands by their keys. Keys without Ctrl or ⌘ are left to a field that is being typed in. */
export function useShortcuts(): void {
  const registry = useCommandRegistry()
  const router = useRouter()
  let last: { chord: string; atMs: number } | null = null

  useEventListener(window, 'keydown', (event: KeyboardEvent) => {
    const chord = chordOf(event)
    if (chord === null || event.defaultPrevented || event.isComposing) return
    if (!chord.startsWith('mod+') && (isTyping(event.target) || isDialogOpen())) return
    if (isPressing(chord, event.target)) return
    const recent = last && event.timeStamp - last.atMs < sequencePatienceMs ? last.chord : null
    const { command, waiting } = matchKeys(registry.all.value, recent, chord)
    last = waiting ? { chord, atMs: event.timeStamp } : null
    if (!command) return
    event.preventDefault()
    void command.run({ router })
  })
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}

/** Space and Enter belong to the button or link that has the focus. */
function isPressing(chord: string, target: EventTarget | null): boolean {
  if (chord !== 'space' && chord !== 'enter') return false
  return target instanceof HTMLElement && target.closest('button, a[href], summary, [role="button"]') !== null
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null
}
