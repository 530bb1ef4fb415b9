import { useEventListener } from '@vueuse/core'
import { onScopeDispose } from 'vue'
import { isNavigationFailure, NavigationFailureType, useRouter } from 'vue-router'
import type { Command } from '../../shared/commands/use-commands.ts'
import { useCommandRegistry } from '../../shared/commands/use-commands.ts'

/** Time limit for the second key of a sequence such as `g o`, milliseconds from when the first was handled: a busy page handles keys late. */
const sequencePatienceMs = 1_200

/** A pressed key in the form that commands write: `mod+k`, `?`, `g`, `escape`. Null for a lone modifier. */
export function chordOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'> & { code?: string },
): string | null {
  if (['Control', 'Meta', 'Alt', 'Shift'].includes(event.key)) return null
  // With Ctrl, digits count by place: some keyboards have them behind Shift.
  const digit = event.ctrlKey || event.metaKey ? /^Digit(\d)$/.exec(event.code ?? '')?.[1] : undefined
  const key = digit ?? (event.key === ' ' ? 'space' : event.key.toLowerCase())
  const modifiers = [...(event.ctrlKey || event.metaKey ? ['mod'] : []), ...(event.altKey ? ['alt'] : [])]
  return [...modifiers, key].join('+')
}

/** Finds the command of the keys pressed. `waiting` is true when they begin a longer sequence. `lastChord` is the previous key, or null. */
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
 * Runs commands by their keys. While a field is focused, keys without Ctrl or ⌘ belong to it. The first Escape leaves the field, the
 * second closes what contains it. In a dialog, Escape closes it at once.
 */
export function useShortcuts(): void {
  const registry = useCommandRegistry()
  const router = useRouter()
  /** The code of the next page loads. The page on show is being left, so its own keys do nothing. */
  let isLeaving = false
  onScopeDispose(router.beforeEach((to, from) => void (isLeaving = to.path !== from.path)))
  onScopeDispose(
    router.afterEach((_to, _from, failure) => {
      // After a cancelled one, the next still loads.
      if (!isNavigationFailure(failure, NavigationFailureType.cancelled)) isLeaving = false
    }),
  )
  onScopeDispose(router.onError(() => void (isLeaving = false)))
  let last: { chord: string; handledAtMs: number } | null = null
  /** Asked before the key itself closes the dialog. */
  let isInDialog = false
  useEventListener(window, 'keydown', () => (isInDialog = isDialogOpen()), { capture: true })

  useEventListener(window, 'keydown', (event: KeyboardEvent) => {
    const chord = chordOf(event)
    if (chord === null || event.defaultPrevented || event.isComposing) return
    // The browser closes an open popover; the page’s own Escape is ignored.
    if (chord === 'escape' && document.querySelector(':popover-open') !== null) return
    if (chord === 'escape' && !isInDialog && leaveField(event.target)) return event.preventDefault()
    if (!chord.startsWith('mod+') && (isTyping(event.target) || isInDialog)) return
    if (isPressing(chord, event.target)) return
    const recent = last && event.timeStamp - last.handledAtMs < sequencePatienceMs ? last.chord : null
    const usable = isLeaving ? registry.all.value.filter(isOfEveryPage) : registry.all.value
    const { command, waiting } = matchKeys(usable, recent, chord)
    last = waiting ? { chord, handledAtMs: performance.now() } : null
    if (!command) return
    event.preventDefault()
    void command.run({ router, commands: registry.all })
  })
}

const isOfEveryPage = ({ keys }: Command) => /^(g |mod\+|\?$)/.test(keys ?? '')

/** Controls that take typed text. */
const fields = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]'
/** Controls that Space or Enter presses. */
const pressed =
  'button, a[href], summary, [type="checkbox"], [type="radio"], [role="button"], [role="checkbox"], [role="switch"]'

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(fields) !== null
}

/** Moves the focus from a field to the drawer or page that contains it. False without such a field. */
function leaveField(target: EventTarget | null): boolean {
  if (!isTyping(target)) return false
  const field = target as HTMLElement
  field.blur()
  field.parentElement?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true })
  return true
}

/** Space and Enter belong to the focused button, link or box. */
function isPressing(chord: string, target: EventTarget | null): boolean {
  if (chord !== 'space' && chord !== 'enter') return false
  return target instanceof HTMLElement && target.closest(pressed) !== null
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null
}
