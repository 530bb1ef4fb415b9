import { setImmediate as nextTurn } from 'node:timers/promises'
import { beats, type Pulse } from '../../../lib/pulse.ts'
import { numbersOf } from '../../people/dnc/hold-rows.ts'
import { eraseSecret, type FoundEntry, readPosted, signed, textOf } from '../../people/dnc/team-entries.ts'
import { personKinds } from '../../people/team/shared-values.ts'
import type { createErasures } from './erasures.ts'
import { TeamProblem, type TeamRequests } from './team-requests.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** A number is removed soon after the log has its erasure, and tried again this long after an error. */
const gaps = { minGapMs: 1_000, maxGapMs: 3_600_000 }
const retryMs = 10 * 60_000
/** Entries of one request. */
const mostErased = 500
/** About 10 ms. */
const entriesPerTurn = 500

/** An entry's text without a number: empty if nothing is left, null if it doesn't have the number, the same text if it can't go. */
export function withoutNumber({ entry, isProven, text, read }: FoundEntry, digits: number): string | null {
  if (entry.kind === 'hold') {
    const numbers = numbersOf(read)
    // The text may mean another person's number, too.
    if (numbers.includes(digits)) return numbers.every((number) => number === digits) ? '' : text
  }
  const whole = new RegExp(`(?<!\\d)${digits}(?!\\d)`, 'g')
  if (text.search(whole) === -1) return null
  const key = String(digits)
  if (entry.kind === 'value' && personKinds.includes(entry.of) && entry.key === key) return ''
  if (!isProven) return text
  // Emptied, a filter would match almost everyone.
  if (entry.kind === 'value' && entry.of.endsWith('-filter'))
    return textOf({ ...entry, key: entry.key.search(whole) === -1 ? entry.key : '', value: null })
  if (entry.kind !== 'sent') return text.replace(whole, '0')
  const to = entry.to.map((one) => (one[0] === digits ? [0, null] : one))
  return to.every(([number]) => number === 0)
    ? ''
    : JSON.stringify({ ...(JSON.parse(text) as object), to }).replace(whole, '0')
}

/**
 * Removes a number from the relay's log: up to the entry of its erasure, and own entries after it. What others keep and share later stays.
 * An entry that is also about someone else is posted again without the number. Returns how many entries can't be removed.
 */
export async function eraseFromLog(
  requests: TeamRequests,
  { id, digits, author }: { id: string; digits: number; author: string },
  key: string,
  signal: AbortSignal,
): Promise<number> {
  let left = 0
  let isBefore = true
  let relayId: string | undefined
  for (let after = 0; ;) {
    const page = await requests.page({ ...(relayId && { relayId }), after, wait: false }, signal)
    if (page.after !== after || page.relayId !== (relayId ?? page.relayId))
      throw new TeamProblem({ key: 'relay.protocol', reason: 'The log starts over' })
    relayId = page.relayId
    const toErase: [number, string][] = []
    for (const [at, posted] of page.entries.entries()) {
      if (at % entriesPerTurn === 0) await nextTurn()
      const found = readPosted(posted, key)
      if (!found) continue
      const { entry } = found
      if (entry.kind === 'erase' && entry.id === id) isBefore = false
      if (!isBefore && !('author' in entry && entry.author === author)) continue
      const kept = withoutNumber(found, digits)
      if (kept === null) continue
      const secret = kept === found.text ? null : eraseSecret(posted, key)
      if (secret === null) {
        left++
        continue
      }
      // First: after a crash it is there twice, under one id.
      if (kept !== '') await requests.post([signed(kept, key)], signal)
      toErase.push([after + at + 1, secret])
    }
    for (let from = 0; from < toErase.length; from += mostErased)
      await requests.erase(toErase.slice(from, from + mostErased), signal)
    if (toErase.length > 0) {
      // A colleague may have erased some meanwhile.
      const { entries } = await requests.page({ relayId, after, wait: false }, signal)
      left += toErase.filter(([seq]) => entries[seq - after - 1]).length
    }
    if (page.entries.length === 0 || page.upTo >= page.lastSeq) return left
    after = page.upTo
  }
}

/** Removes numbers that were erased here from the log, over a connection of its own. `ready`: null unless all is read and posted. */
export async function eraseOnRelay(
  parts: Pick<PlatformParts, 'clock' | 'log'> & {
    erasures: Pick<ReturnType<typeof createErasures>, 'inLogStill' | 'setInLog'>
    ready: () => { key: string; author: string; open: () => Promise<TeamRequests> } | null
    pulse: Pulse
  },
  stopped: AbortSignal,
): Promise<void> {
  const { erasures, clock } = parts
  for await (const _beat of beats(parts.pulse, clock, gaps, stopped)) {
    const ready = parts.ready()
    const some = ready ? erasures.inLogStill(ready.key) : []
    if (!ready || some.length === 0) continue
    const { key, author } = ready
    try {
      const requests = await ready.open()
      try {
        for (const one of some)
          erasures.setInLog(one.id, await eraseFromLog(requests, { ...one, author }, key, stopped))
      } finally {
        requests.close()
      }
    } catch (error) {
      if (stopped.aborted) return
      parts.log.info('Could not erase a number at the relay yet', { error })
      await clock.sleep(retryMs, stopped).catch(() => {})
    }
  }
}
