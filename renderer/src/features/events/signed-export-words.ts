import type { Verdict } from '#contract/live/signed-exports.ts'
import { formatTime } from '../../shared/format/time.ts'
import { t } from './events.texts.ts'

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

export function verdictLook(verdict: Verdict): { tone: 'ok' | 'warn' | 'bad'; title: string; text: string } {
  switch (verdict.kind) {
    case 'valid': {
      const { signedBy, head } = verdict
      const more = {
        'this-console': [],
        'earlier-key': [t('verdict.keyGone')],
        'another-key': [t('verdict.compare')],
      }[signedBy]
      return {
        tone: signedBy === 'another-key' ? 'warn' : 'ok',
        title: t(`verdict.${signedBy}`),
        text: [t('verdict.unchanged', { n: head.events }), ...more].join(' '),
      }
    }
    case 'changed':
      return { tone: 'bad', title: t('verdict.changed'), text: t('verdict.changedText') }
    case 'newer-version':
      return { tone: 'warn', title: t('verdict.newer'), text: t('verdict.newerText') }
    case 'not-an-export':
      return { tone: 'warn', title: t('verdict.notExport'), text: t('verdict.notExportText') }
  }
}
