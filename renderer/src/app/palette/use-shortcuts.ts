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

/**
 * Runs commands by their keys. Keys without Ctrl or ⌘ are left to a field that is being typed in, which Escape leaves first:
 * only pressed again it closes what the field stands in.
 */
export function useShortcuts(): void {
  const registry = useCommandRegistry()
  const router = useRouter()
  let last: { chord: string; atMs: number } | null = null

  useEventListener(window, 'keydown', (event: KeyboardEvent) => {
    const chord = chordOf(event)
    if (chord === null || event.defaultPrevented || event.isComposing) return
    // The browser closes what is open above the page; what the page would close with the same key stays.
    if (chord === 'escape' && document.querySelector(':popover-open') !== null) return
    if (chord === 'escape' && leaveField(event.target)) return event.preventDefault()
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

/** Controls that take what is typed. */
const fields = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]'
/** Controls that Space or Enter presses. */
const pressed =
  'button, a[href], summary, [type="checkbox"], [type="radio"], [role="button"], [role="checkbox"], [role="switch"]'

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(fields) !== null
}

/**
 * Takes the keyboard out of a field to what it stands in: the details, else the page. False where it is in none, and in a
 * dialog, which Escape closes at once.
 */
function leaveField(target: EventTarget | null): boolean {
  if (!isTyping(target) || isDialogOpen()) return false
  const field = target as HTMLElement
  field.blur()
  field.parentElement?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true })
  return true
}

/** Space and Enter belong to the button, link or box that has the focus. */
function isPressing(chord: string, target: EventTarget | null): boolean {
  if (chord !== 'space' && chord !== 'enter') return false
  return target instanceof HTMLElement && target.closest(pressed) !== null
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null
}
