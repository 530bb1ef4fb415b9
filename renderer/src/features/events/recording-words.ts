import type { RecordingVerdict } from '#contract/recorder.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'

/** Whether what was typed or pasted is this fingerprint; null while there is too little to say. Blanks and colons are passed over. */
export function isSameFingerprint(typed: string, fingerprint: string): boolean | null {
  const digits = typed
    .toLowerCase()
    .replace(/^sha256:?/, '')
    .replaceAll(/[\s:-]/g, '')
  return digits === '' ? null : digits === fingerprint
}

type Look = { tone: 'ok' | 'warn' | 'bad'; title: string; text: string }

/** What a check found, in words. */
export function verdictLook(verdict: RecordingVerdict): Look {
  switch (verdict.kind) {
    case 'whole':
      return wholeLook(verdict.signedBy, verdict.head.events)
    case 'changed':
      return {
        tone: 'bad',
        title: 'Changed',
        text: `Line ${formatCount(verdict.line)} does not hold. ${verdict.why} What this file says proves nothing.`,
      }
    case 'cut-off':
      return {
        tone: 'bad',
        title: 'Cut off',
        text: `The signature at its end is missing. ${formatCounted(verdict.lines, 'line')} hold together, which proves nothing without it.`,
      }
    case 'not-a-recording':
      return { tone: 'warn', title: 'Not a recording', text: `${verdict.why} Nothing was checked.` }
  }
}

function wholeLook(signedBy: 'this-console' | 'earlier-key' | 'another-key', count: number): Look {
  const events = formatCounted(count, 'event')
  if (signedBy === 'this-console')
    return {
      tone: 'ok',
      title: 'Whole, and signed by this console',
      text: `${events}; nothing was changed since it was written.`,
    }
  if (signedBy === 'earlier-key')
    return {
      tone: 'ok',
      title: 'Whole, and signed by an earlier key of this console',
      text: `${events}; nothing was changed since it was written. That key is no longer in the keychain.`,
    }
  return {
    tone: 'warn',
    title: 'Whole, and signed by another key',
    text: `${events}; nothing was changed since it was signed. Whose key it is shows only by comparing its fingerprint with the one the other console shows.`,
  }
}
