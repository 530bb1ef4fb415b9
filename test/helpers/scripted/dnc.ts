import type { DncCache, DncCheckRun, DncRow, Hold, OfflineVerdict } from '#contract/people/dnc.ts'
import type { Script } from './script.ts'
import { ago, createBroadcast, dayMs, hourMs, minuteMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

/** A complete copy of the DNC list, two hours old. */
export function ordinaryDncCache(): DncCache {
  return {
    state: 'fresh',
    asOf: ago(2 * hourMs),
    entries: 12_408,
    unreadable: 0,
    unreadableHolds: 0,
    holdsVersion: 0,
    kept: 0,
    teamReadAt: null,
    waits: null,
    withoutCountry: 0,
    maxAgeMs: dayMs,
    sync: null,
    drift: { added: 14, removed: 5 },
  }
}

const reasons = ['Customer asked', 'Opt-out', 'Court order', null]

/** `count` current entries, then five removed ones. */
export function dncRows(count: number): DncRow[] {
  return Array.from({ length: count + 5 }, (_item, index) => {
    const unreadable = index > 0 && index % 4_001 === 0
    const phone = `+4917${String(10_000_000 + index * 37)}`
    return {
      id: index + 1,
      phoneNumber: unreadable ? 'call centre' : index % 5 === 0 ? phone.replace('+', '00') : phone,
      phone: unreadable ? null : phone,
      reason: reasons[index % reasons.length]!,
      createdAt: ago((index % 700) * dayMs + dayMs),
      entryId: `dnc-${index}`,
      firstSeenAt: ago((index % 90) * dayMs + 2 * hourMs),
      goneAt: index >= count ? ago(2 * hourMs) : null,
    }
  })
}

const hold = (id: number, phone: string, evidence: string, agoMs: number, of: Partial<Hold> = {}): Hold => ({
  id,
  phone,
  number: phone,
  evidence,
  source: 'opt-out',
  eventSeq: 1_204_513,
  since: ago(agoMs),
  endedAt: null,
  endReason: null,
  endedBy: null,
  handedOffAt: null,
  exporter: null,
  author: null,
  shared: false,
  verified: true,
  others: [],
  ...of,
})
const holds: Hold[] = [
  hold(3, '+491711234567', 'STOP', 40 * minuteMs, {
    others: [{ id: 4, evidence: 'Asked by phone', author: 'Ben' }],
  }),
  hold(2, '+4915112345678', 'Asked by phone not to be written to; ticket 4711', 2 * dayMs, {
    source: 'by-hand',
    eventSeq: null,
    handedOffAt: ago(dayMs),
  }),
  hold(1, '+4366012345678', 'arrêt', 9 * dayMs, {
    endedAt: ago(7 * dayMs),
    endReason: 'on-dnc',
    handedOffAt: ago(8 * dayMs),
  }),
]

const checkRuns = (): DncCheckRun[] => [
  {
    id: 'check-1',
    name: 'partner-list-2.csv',
    state: 'done',
    taskId: 't-check-1',
    counts: {
      rows: 20_000,
      clear: 19_207,
      blocked: 712,
      refused: 0,
      notKnown: 0,
      maybeListed: 0,
      unparsable: 81,
      readableTwoWays: 0,
    },
    region: 'DE',
    hasCountryCodes: false,
    cacheAsOf: ago(2 * hourMs),
    problem: null,
    createdAt: ago(90 * minuteMs),
    files: { clear: 'file-clear', blocked: 'file-blocked', unknown: null, unparsable: 'file-unparsable' },
  },
]

/** A number that nothing speaks against. */
export const clearVerdict = (input: string, asOf: string | null = null): OfflineVerdict => ({
  input,
  phone: input,
  verdict: 'clear',
  reason: null,
  since: null,
  source: 'none',
  author: null,
  asOf,
})

/** The answers about the DNC list: every number is clear, and lists stay as they are. */
export function scriptedDnc(
  tasks: ScriptedTasks,
  files: { put(id: string, name: string, text: string): void },
) {
  const cache = createBroadcast(ordinaryDncCache())
  const rows = dncRows(200)
  const words = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'ARRET']
  files.put('file-hand-off', 'hand-off.csv', '+491711234567')
  const answers: Script['dnc'] = {
    watch: (_input, signal) => cache.watch(signal),
    sync: () => {
      cache.set({ ...cache.value(), state: 'fresh', asOf: ago(0), sync: null })
      return tasks.finish({ kind: 'dnc-sync', subject: 'Do-not-contact list' })
    },
    setMaxAge: () => cache.value(),
    useShorterList: () => ({ ...cache.value(), kept: 0 }),
    list: () => ({ items: rows, nextCursor: null, total: rows.length, cache: cache.value() }),
    checkOffline: ({ phones }) => ({
      verdicts: phones.map((phone) => clearVerdict(phone, cache.value().asOf)),
      cache: cache.value(),
    }),
    checkOnline: ({ phone }) => ({
      phone,
      verdict: 'not-proven',
      entry: null,
      remarks: [{ key: 'dnc.maybeIgnored' }],
      asOf: ago(0),
    }),
    checkFile: ({ name }) => ({
      checkId: 'check-1',
      ...tasks.finish({ kind: 'dnc-check', subject: name ?? 'Pasted list', refId: 'check-1' }),
    }),
    inspectFile: () => ({
      header: ['name', 'mobile', 'city'],
      sample: [
        ['Ada', '+44 20 7946 0000', 'London'],
        ['Grace', '0171 1234567', 'Berlin'],
      ],
      headerRow: 1,
      phoneColumn: 1,
      numberColumns: [1],
    }),
    checkRuns: () => ({ items: checkRuns(), nextCursor: null }),
    holds: () => ({ items: holds, nextCursor: null, total: holds.length }),
    hold: () => holds[0]!,
    release: () => ({ ...holds[0]!, endedAt: ago(0), endReason: 'by-hand' }),
    exportHandOff: () => ({ fileId: 'file-hand-off', name: 'hand-off.csv', count: 1 }),
    optOutKeywords: () => ({ words }),
    setOptOutKeywords: (next) => next,
  }
  return {
    answers,
    setCache: (change: Partial<DncCache>) => cache.set({ ...cache.value(), ...change }),
  }
}
