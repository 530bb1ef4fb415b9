import type { Verdict } from '#contract/evidence.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'
import { formatTime } from '../../shared/format/time.ts'

/** A period in local time, the day once if it is the same: `20 Nov 14:00:00–15:00:00`. */
export function periodText({ from, to }: { from: string; to: string }): string {
  const isSameDay = new Date(from).toDateString() === new Date(to).toDateString()
  return `${formatTime(from, 'day')}–${formatTime(to, isSameDay ? 'clock' : 'day')}`
}

/** A fingerprint in groups of four, easier to compare. */
export const fingerprintText = (fingerprint: string): string => fingerprint.replaceAll(/(.{4})(?=.)/g, '$1 ')

/** Whether a typed or pasted text is this fingerprint; null while it is empty. Spaces and colons don't count. */
export function isSameFingerprint(typed: string, fingerprint: string): boolean | null {
  const digits = typed
    .toLowerCase()
    .replace(/^sha256:?/, '')
    .replaceAll(/[\s:-]/g, '')
  return digits === '' ? null : digits === fingerprint
}

const signers = {
  'this-console': { tone: 'ok', title: 'Valid, signed by this computer', more: '' },
  'earlier-key': {
    tone: 'ok',
    title: 'Valid, signed by an earlier key of this computer',
    more: ' That key is no longer in the keychain.',
  },
  'another-key': {
    tone: 'warn',
    title: 'Valid, signed by another key',
    more: ' Compare its fingerprint with the one its sender shows.',
  },
} as const

/** A verdict in words. */
export function verdictLook(verdict: Verdict): { tone: 'ok' | 'warn' | 'bad'; title: string; text: string } {
  switch (verdict.kind) {
    case 'whole': {
      const { tone, title, more } = signers[verdict.signedBy]
      return {
        tone,
        title,
        text: `${formatCounted(verdict.head.events, 'event')}, unchanged since they were signed.${more}`,
      }
    }
    case 'changed':
      return {
        tone: 'bad',
        title: 'Changed after signing',
        text: `Line ${formatCount(verdict.line)} is damaged. ${verdict.why} Don't rely on this file.`,
      }
    case 'cut-off':
      return {
        tone: 'bad',
        title: 'Incomplete',
        text: `The signature at the end is missing. The first ${formatCounted(verdict.lines, 'line')} fit together, but prove nothing without it.`,
      }
    case 'not-an-export':
      return { tone: 'warn', title: 'Not a signed export', text: verdict.why }
  }
}
