import type { DncCache, DncCheckRun, DncRow, Hold, OfflineVerdict } from '#contract/people/dnc.ts'
import { englishText } from '#contract/phrases.ts'
import { AppError } from '#contract/errors.ts'
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

export function ordinaryHolds(): Hold[] {
  return [
    {
      id: 3,
      phone: '+491711234567',
      number: '+491711234567',
      evidence: 'STOP',
      source: 'stop-word',
      eventSeq: 1_204_513,
      since: ago(40 * minuteMs),
      endedAt: null,
      endReason: null,
      handedOffAt: null,
    },
    {
      id: 2,
      phone: '+4915112345678',
      number: '+4915112345678',
      evidence: 'Asked by phone not to be written to; ticket 4711',
      source: 'by-hand',
      eventSeq: null,
      since: ago(2 * dayMs),
      endedAt: null,
      endReason: null,
      handedOffAt: ago(dayMs),
    },
    {
      id: 1,
      phone: '+4366012345678',
      number: '+4366012345678',
      evidence: 'arrêt',
      source: 'stop-word',
      eventSeq: 1_100_020,
      since: ago(9 * dayMs),
      endedAt: ago(7 * dayMs),
      endReason: 'on-dnc',
      handedOffAt: ago(8 * dayMs),
    },
  ]
}

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

/** The DNC answers over lists in memory. */
export function scriptedDnc(
  tasks: ScriptedTasks,
  files: { put(id: string, name: string, text: string): void },
) {
  const cache = createBroadcast(ordinaryDncCache())
  const rows = dncRows(12_408)
  let holds = ordinaryHolds()
  let runs = checkRuns()
  let words = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'ARRET']
  files.put('file-clear', 'partner-list-2 clear.csv', 'phone\r\n+441\r\n')
  files.put('file-blocked', 'partner-list-2 blocked.csv', 'phone\r\n+442\r\n')
  files.put('file-unparsable', 'partner-list-2 unparsable.csv', 'phone\r\nabc\r\n')

  const shown = (which: string) =>
    rows.filter((row, index) =>
      which === 'removed'
        ? row.goneAt !== null
        : row.goneAt === null && (which === 'all' || (which === 'added' ? index < 14 : row.phone === null)),
    )
  const e164 = (input: string) => {
    const digits = input
      .replaceAll(/[^\d+]/g, '')
      .replace(/^00/, '+')
      .replace(/^0/, '+49')
    return /^\+\d{7,15}$/.test(digits) ? digits : null
  }
  const judge = (input: string): OfflineVerdict => {
    const phone = e164(input)
    const { state, asOf } = cache.value()
    const known = { input, phone, since: null, source: 'none' as const, asOf }
    if (phone === null) return { ...known, verdict: 'unparsable', reason: 'too short to be a number' }
    const entry = rows.find((row) => row.phone === phone && row.goneAt === null)
    if (entry)
      return { ...known, verdict: 'blocked', reason: entry.reason, since: entry.createdAt, source: 'dnc' }
    const hold = holds.find((one) => one.phone === phone && one.endedAt === null)
    if (hold)
      return { ...known, verdict: 'blocked', reason: hold.evidence, since: hold.since, source: 'hold' }
    if (state === 'fresh') return { ...known, verdict: 'clear', reason: null }
    const why = {
      never: 'The list was never synced.',
      stale: 'The copy of the list is older than the age set.',
      partial: 'The copy of the list is not whole.',
    }[state]
    return { ...known, verdict: 'not-known', reason: why }
  }
  const listed = (which: string) =>
    holds.filter((hold) =>
      which === 'ended'
        ? hold.endedAt !== null
        : hold.endedAt === null && (which === 'active' || hold.handedOffAt === null),
    )

  const answers: Script['dnc'] = {
    watch: ((_input: unknown, signal?: AbortSignal) =>
      cache.watch(signal)) as unknown as Script['dnc']['watch'],
    sync: () => {
      cache.set({ ...cache.value(), state: 'fresh', asOf: ago(0), sync: null })
      return tasks.finish({ kind: 'dnc-sync', subject: 'Do-not-contact list' })
    },
    setMaxAge: ({ maxAgeMs }) => {
      cache.set({ ...cache.value(), maxAgeMs })
      return cache.value()
    },
    list: ({ text = '', which, limit = 100, cursor }) => {
      const all = shown(which).filter((row) =>
        `${row.phoneNumber} ${row.phone} ${row.reason}`.toLowerCase().includes(text.toLowerCase()),
      )
      const from = Number(cursor ?? 0)
      return {
        items: all.slice(from, from + limit),
        nextCursor: from + limit < all.length ? String(from + limit) : null,
        total: all.length,
        cache: cache.value(),
      }
    },
    checkOffline: ({ phones }) => ({ verdicts: phones.map(judge), cache: cache.value() }),
    checkOnline: ({ phone }) => {
      const offline = judge(phone)
      const blocked = offline.source === 'dnc'
      return {
        phone: offline.phone ?? phone,
        verdict: blocked ? ('blocked' as const) : ('not-proven' as const),
        entry: blocked
          ? {
              id: 'dnc-entry-1',
              phoneNumber: offline.phone!,
              reason: offline.reason && englishText(offline.reason),
              createdAt: offline.since,
            }
          : null,
        remarks: blocked ? [] : [{ key: 'dnc.maybeIgnored' }],
        asOf: ago(0),
      }
    },
    checkFile: ({ name, region, hasCountryCodes }) => {
      const { taskId } = tasks.finish({ kind: 'dnc-check', subject: name, refId: `check-${runs.length + 1}` })
      const run: DncCheckRun = {
        ...checkRuns()[0]!,
        id: `check-${runs.length + 1}`,
        name,
        region,
        hasCountryCodes,
        taskId,
        counts: {
          rows: 3,
          clear: 1,
          blocked: 1,
          notKnown: 0,
          maybeListed: 0,
          unparsable: 1,
          readableTwoWays: region === 'DE' && !hasCountryCodes ? 1 : 0,
        },
        createdAt: ago(0),
      }
      runs = [run, ...runs]
      return { checkId: run.id, taskId }
    },
    inspectFile: () => ({
      header: ['name', 'mobile', 'city'],
      sample: [
        ['Ada', '+44 20 7946 0000', 'London'],
        ['Grace', '0171 1234567', 'Berlin'],
      ],
      headerRow: 1,
      guess: 1,
    }),
    checkRuns: () => ({ items: runs, nextCursor: null }),
    holds: ({ which }) => ({ items: listed(which), nextCursor: null, total: listed(which).length }),
    hold: ({ phone, evidence }) => {
      const parsed = e164(phone)
      if (parsed === null) throw new AppError('INVALID_INPUT', { detail: 'the number cannot be read' })
      const hold: Hold = {
        ...ordinaryHolds()[0]!,
        id: holds.length + 1,
        phone: parsed,
        number: parsed,
        evidence,
        source: 'by-hand',
        eventSeq: null,
        since: ago(0),
      }
      holds = [hold, ...holds]
      return hold
    },
    release: ({ id }) => {
      holds = holds.map((hold) =>
        hold.id === id ? { ...hold, endedAt: ago(0), endReason: 'by-hand' as const } : hold,
      )
      return holds.find((hold) => hold.id === id)!
    },
    exportHandOff: ({ all }) => {
      const taken = listed(all ? 'active' : 'not-handed-off')
      files.put('file-hand-off', 'hand-off.csv', taken.map(({ phone }) => phone).join('\r\n'))
      holds = holds.map((hold) => (taken.includes(hold) ? { ...hold, handedOffAt: ago(0) } : hold))
      return { fileId: 'file-hand-off', name: 'hand-off.csv', count: taken.length }
    },
    optOutKeywords: () => ({ words }),
    setOptOutKeywords: (next) => ((words = next.words), { words }),
  }
  return {
    answers,
    isHeld: (phone: string) => judge(phone).source === 'hold',
    setCache: (change: Partial<DncCache>) => cache.set({ ...cache.value(), ...change }),
  }
}
