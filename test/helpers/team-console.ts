import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TeamView } from '#contract/live/team.ts'
import { createErasures } from '#electron/core/live/team/erasures.ts'
import { createTeamService } from '#electron/core/live/team/team.service.ts'
import { createHoldsRepository } from '#electron/core/people/dnc/holds.repository.ts'
import { createTeamSends } from '#electron/core/people/templates/team-sends.ts'
import { createTeamRepository } from '#electron/core/people/dnc/team.repository.ts'
import { createSharedValues } from '#electron/core/people/team/shared-values.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createPulse } from '#electron/lib/pulse.ts'
import { quietLog } from './quiet-log.ts'

export const teamKey = 'k'.repeat(43)
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2))

/** The holds and the team of one console over a real database. */
export function openTeamConsole(
  name: string,
  relay: { url: string; token: string },
  folder: string,
  { offsetMs = 0, beforeSharing = () => {}, onRead = () => {} } = {},
) {
  let file = join(folder, 'state.db')
  let kills = 0
  const clock = { ...systemClock, now: () => Date.now() + offsetMs }
  function start() {
    const { db, close } = openDatabase({ file, schema: 'state', log: quietLog })
    const changes = createPulse()
    const holds = createHoldsRepository(db, () => null)
    const repository = createTeamRepository(db)
    const sends = createTeamSends(db, clock)
    const values = createSharedValues(db, clock)
    const erasures = createErasures(db, clock, (digits) => holds.addHash(digits, clock.now()))
    const service = createTeamService({
      connectionId: name,
      repository,
      sends,
      values: values.team,
      dnc: {
        takeTeam: (found, position) => void holds.takeTeam(found, position, clock.now()),
        shareEarlier(afterId, limit) {
          beforeSharing()
          return holds.shareEarlier(afterId, limit, clock.now())
        },
        onChange: changes.subscribe,
        changed: changes.fire,
        setTeamRead: (readMs) => void (readMs === null || onRead()),
      },
      work: () => ({ connection: 'Test', sent: 0, total: 0 }),
      setTeam: () => {},
      erasures,
      showErasure: () => {},
      relay: () => ({ ...relay, inbox: 'main' }),
      secrets: { get: () => Promise.resolve(teamKey) },
      keepSecret: () => Promise.resolve(),
      forgetSecret: () => Promise.resolve(),
      resolveProxies: () => Promise.resolve([null]),
      clock,
      random: () => 0.01,
      log: quietLog,
    })
    service.start()
    return { holds, sends, values, repository, service, close, changed: changes.fire }
  }
  let now = start()
  const stop = async () => {
    await now.service.stop()
    now.close()
  }
  return {
    name,
    stop,
    get holds() {
      return now.holds
    },
    get values() {
      return now.values
    },
    get sends() {
      return now.sends
    },
    get repository() {
      return now.repository
    },
    get service() {
      return now.service
    },
    changed: () => now.changed(),
    nowMs: clock.now,
    active: () => now.holds.list('active', 10_000).items,
    held: () => [...new Set(now.holds.list('active', 10_000).items.map(({ number }) => number))].sort(),
    /** Goes on from what is on the disk at this moment, as after `kill -9`. */
    async kill() {
      const killed = file
      file = `${killed}-${++kills}.db`
      for (const end of ['', '-wal']) if (existsSync(killed + end)) copyFileSync(killed + end, file + end)
      await stop()
      now = start()
    },
    join: (key = teamKey) => now.service.join({ name, key }),
    /** Reads everything, and shares it unless the relay withholds that. */
    async sync(isHonest = true) {
      await now.service.stop()
      const sinceMs = clock.now()
      now.service.start()
      while ((now.repository.team()!.readMs ?? 0) < sinceMs) await turn()
      while (isHonest && now.repository.countWaiting() > 0) await turn()
    },
    async view(): Promise<TeamView> {
      for await (const view of now.service.watch(new AbortController().signal)) return view
      throw new Error('No view')
    },
  }
}
