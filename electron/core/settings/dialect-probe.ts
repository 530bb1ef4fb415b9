import type { Dialect, ProbedName } from '../../contract/dialect.ts'
import { AppError, isAppError } from '../../contract/errors.ts'
import { type ProbeFinding, probeFindingSchema } from '../../contract/settings.ts'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import { toAppError, viewOf } from '../rpc/wire-errors.ts'
import type { Log } from '../../lib/log.ts'
import type { ServiceClient } from '../service-client/create-service-client.ts'
import { dialectCandidates } from '../service-client/dialect.ts'
import type { TaskContext, TasksService } from '../tasks/tasks.service.ts'

/** A text no error code record can hold. */
const nonsense = 'zqxjkvw-none'
/** A day on which no service of this kind had traffic. */
const longAgo = { startDate: '2001-01-01', endDate: '2001-01-02' }
const dayMs = 86_400_000

/** What one name's probe came to, before it is kept. */
type Outcome = Pick<ProbeFinding, 'outcome' | 'value' | 'evidence'> & {
  proven?: Dialect[ProbedName]['value']
}

export interface DialectProbe {
  start(names: readonly ProbedName[]): { taskId: string }
  findings(): ProbeFinding[]
}

/**
 * Finds names that the spec leaves open, by GETs alone. A name counts as proven only when its answer differs from what a service
 * that ignores unknown parameters would give: a listed number that is blocked, nonsense that finds nothing, a day of long ago that
 * is empty while the last month is not.
 */
export function createDialectProbe(parts: {
  client: ServiceClient
  cacheDb: Database
  dialect: () => Dialect
  /** Uses a name for the calls of the probe alone. */
  withDialect: <T>(change: Partial<Dialect>, work: () => Promise<T>) => Promise<T>
  keepProven: (name: ProbedName, value: Dialect[ProbedName]['value']) => void
  tasks: TasksService
  clock: Clock
  log: Log
}): DialectProbe {
  const { client, cacheDb, dialect, withDialect, tasks, clock, log } = parts
  const put = cacheDb.prepare<[string, string]>(
    'INSERT INTO probe_findings (name, finding_json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET finding_json = excluded.finding_json',
  )
  const read = cacheDb.prepare<[], string>('SELECT finding_json FROM probe_findings ORDER BY name').pluck()
  const proven = <T>(value: T) => ({ value, provenance: 'proven' as const })

  /** The name in use first, then the usual ones. */
  const ordered = <T>(inUse: T, candidates: readonly T[]): T[] => [
    inUse,
    ...candidates.filter((one) => JSON.stringify(one) !== JSON.stringify(inUse)),
  ]
  /** The service's own refusal only says that this name is not the one. */
  const isRefusal = (error: unknown) => isAppError(error, 'SERVICE_REJECTED', 'SERVICE_NOT_FOUND')

  async function probeDnc({ signal }: TaskContext<unknown>): Promise<Outcome> {
    const inUse = dialect().dncCheckParameter.value
    const { items } = await client.dnc.list({ page: 1, perPage: 1 }, { lane: 'bulk', signal })
    const listed = items[0]
    if (!listed)
      return {
        outcome: 'not-provable',
        value: inUse,
        evidence: 'The DNC list is empty: there is no number whose answer would prove a name.',
      }
    for (const value of ordered(inUse, dialectCandidates.dncCheckParameter)) {
      try {
        const { verdict } = await withDialect({ dncCheckParameter: proven(value) }, () =>
          client.dnc.check({ phone: listed.phoneNumber }, { lane: 'bulk', signal }),
        )
        // A service that called every number blocked would fit every name.
        if (verdict !== 'blocked') continue
        const { verdict: other } = await withDialect({ dncCheckParameter: proven(value) }, () =>
          client.dnc.check({ phone: '+10000000000' }, { lane: 'bulk', signal }),
        ).catch((error: unknown) => {
          if (isRefusal(error)) return { verdict: 'clear' as const }
          throw error
        })
        if (other === 'blocked') continue
        return {
          outcome: 'proven',
          value,
          proven: value,
          evidence: `Asked with ${value}, a number of the list was blocked and another was not.`,
        }
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
    return {
      outcome: 'refuted',
      value: inUse,
      evidence: 'A number of the list was called not blocked under every name that was tried.',
    }
  }

  async function probeErrorCodes({ signal }: TaskContext<unknown>): Promise<Outcome> {
    const inUse = dialect().errorCodeSearchParameter.value
    const search = (value: string, text: string) =>
      withDialect({ errorCodeSearchParameter: proven(value) }, () =>
        client.errorCodes.search({ text }, { lane: 'bulk', signal }),
      )
    let answeredAll = false
    for (const value of ordered<string>(inUse, dialectCandidates.errorCodeSearchParameter)) {
      try {
        if ((await search(value, nonsense)).length > 0) {
          answeredAll = true
          continue
        }
        // Nothing for nonsense proves it only where something is found for what is there.
        for (const text of ['1', 'e', 'message'])
          if ((await search(value, text)).length > 0)
            return {
              outcome: 'proven',
              value,
              proven: value,
              evidence: `Asked with ${value}, nonsense found nothing and "${text}" found records.`,
            }
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
    return answeredAll
      ? {
          outcome: 'refuted',
          value: inUse,
          evidence:
            'Nonsense found records: the service ignores the names that were tried, and answers all it has.',
        }
      : {
          outcome: 'not-provable',
          value: inUse,
          evidence: 'No name found any record: there is nothing to compare with.',
        }
  }

  async function probeDates({ signal }: TaskContext<unknown>): Promise<Outcome> {
    const inUse = dialect().analyticsDates.value
    const name = (value: typeof inUse) => `${value.startParameter}, ${value.endParameter} (${value.format})`
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    const nowMs = clock.now()
    const lastMonth = { startDate: day(nowMs - 30 * dayMs), endDate: day(nowMs) }
    const total = (value: typeof inUse, span: typeof lastMonth) =>
      withDialect({ analyticsDates: proven(value) }, async () => {
        const { totalMessages } = await client.analytics.overview(span, { lane: 'bulk', signal })
        return totalMessages ?? 0
      })
    let isQuiet = false
    for (const value of ordered<typeof inUse>(inUse, dialectCandidates.analyticsDates)) {
      try {
        const recent = await total(value, lastMonth)
        const past = await total(value, longAgo)
        if (recent > 0 && past === 0)
          return {
            outcome: 'proven',
            value: name(value),
            proven: value,
            evidence: `Asked with ${name(value)}, the last 30 days had ${recent} messages and a day of 2001 had none.`,
          }
        if (recent === 0 && past === 0) isQuiet = true
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
    return isQuiet
      ? {
          outcome: 'not-provable',
          value: name(inUse),
          evidence: 'The last 30 days had no messages: there is nothing to compare with.',
        }
      : {
          outcome: 'refuted',
          value: name(inUse),
          evidence:
            'A day of 2001 had as many messages as the last 30 days under every name that was tried: the service ignores them.',
        }
  }

  const probes: Record<ProbedName, (context: TaskContext<unknown>) => Promise<Outcome>> = {
    dncCheckParameter: probeDnc,
    errorCodeSearchParameter: probeErrorCodes,
    analyticsDates: probeDates,
  }

  async function find(name: ProbedName, context: TaskContext<unknown>): Promise<ProbeFinding> {
    const asOf = () => new Date(clock.now()).toISOString()
    try {
      const { proven: value, ...found } = await probes[name](context)
      // What an operator set stands, whatever was found.
      if (value !== undefined && dialect()[name].provenance !== 'set by hand') parts.keepProven(name, value)
      return { ...found, name, provenance: dialect()[name].provenance, problem: null, asOf: asOf() }
    } catch (error) {
      context.signal.throwIfAborted()
      const problem = viewOf(error instanceof AppError ? error : toAppError(error, log))
      const value = JSON.stringify(dialect()[name].value)
      return {
        name,
        value,
        provenance: dialect()[name].provenance,
        outcome: 'failed',
        evidence: problem.text,
        problem,
        asOf: asOf(),
      }
    }
  }

  tasks.define<{ names: ProbedName[] }>('dialect-probe', {
    unit: 'requests',
    canPause: false,
    resumable: true,
    async run(context) {
      const { names } = context.payload
      context.report({ done: 0, total: names.length })
      const counts = { proven: 0, notProven: 0 }
      for (const [at, name] of names.entries()) {
        const finding = await find(name, context)
        put.run(name, JSON.stringify(finding))
        counts[finding.outcome === 'proven' ? 'proven' : 'notProven']++
        context.report({ done: at + 1, counts })
      }
    },
  })

  return {
    start: (names) => ({
      taskId: tasks.start('dialect-probe', { subject: 'Open names', payload: { names: [...names] } }).id,
    }),
    findings: () =>
      read.all().flatMap((json) => {
        const parsed = probeFindingSchema.safeParse(JSON.parse(json))
        return parsed.success ? [parsed.data] : []
      }),
  }
}
