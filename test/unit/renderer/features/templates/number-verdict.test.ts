import { expect, test } from 'vitest'
import type { OfflineVerdict } from '#contract/people/dnc.ts'
import {
  maySend,
  verdictLook,
  verdictText,
} from '../../../../../renderer/src/features/templates/number-verdict.ts'
import { clearVerdict } from '../../../../helpers/scripted/dnc.ts'

test.each<[change: Partial<OfflineVerdict>, may: string, text: string, tone: string]>([
  [{}, 'yes', '+12015550123, Ada: clear', ''],
  [{ verdict: 'not-known' }, 'knowingly', '+12015550123, Ada: unknown', ''],
  [
    { verdict: 'not-known', source: 'dnc', reason: { key: 'phone.maybeOnDnc' } },
    'no',
    '+12015550123, Ada may be listed: an unreadable entry of the DNC list may be this number. You can’t send to it.',
    'warn',
  ],
  [
    { verdict: 'blocked', source: 'dnc', reason: 'asked to stop' },
    'no',
    '+12015550123 is on the DNC list (asked to stop). You can’t send to it.',
    'bad',
  ],
  [
    { verdict: 'blocked', source: 'hold', reason: 'STOP' },
    'no',
    '+12015550123 is on hold (STOP). You can’t send to it.',
    'bad',
  ],
  [
    { verdict: 'blocked', source: 'hold', author: 'Ben', reason: 'STOP' },
    'no',
    'Ben put +12015550123 on hold (STOP). You can’t send to it.',
    'bad',
  ],
  [
    { verdict: 'unparsable', phone: null, reason: { key: 'phone.none' } },
    'no',
    'Invalid number: it contains no number',
    'warn',
  ],
])('%o: sending %s', (change, may, text, tone) => {
  const one = { ...clearVerdict('+12015550123'), ...change }
  expect(maySend(one)).toBe(may)
  expect(verdictText(one, 'Ada')).toBe(text)
  expect(verdictLook(one).tone).toBe(tone)
})
