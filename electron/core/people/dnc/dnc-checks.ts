import { randomUUID } from 'node:crypto'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { DncCheckRun, dncContract } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import { type Phrase, textIn } from '../../../contract/phrases.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { isPhoneRegion } from '../../../lib/phone/parse-phone.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { inspectNumbers, numberTable, readingOf } from '../tables.ts'
import { runTaskJob } from '../../platform/tasks/job-runner.ts'
import type { DncService } from './dnc.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'

type Input = InputOf<typeof dncContract, 'checkFile'>
type Inspected = OutputOf<typeof dncContract, 'inspectFile'>

interface Row {
  id: string
  /** Empty for a pasted list. */
  name: string
  taskId: string | null
  orderJson: string
  countsJson: string
  cacheAsOfMs: number | null
  filesJson: string | null
  createdMs: number
}

type Files = NonNullable<DncCheckRun['files']>

const pastedName = (source: Input['source']): Phrase => ({
  key: 'subject.pastedList',
  n: 'text' in source ? source.text.split(/[\r\n]+/).filter((line) => line.trim() !== '').length : 0,
})

const noCounts = {
  rows: 0,
  clear: 0,
  blocked: 0,
  refused: 0,
  notKnown: 0,
  maybeListed: 0,
  unparsable: 0,
  readableTwoWays: 0,
}

/** Checks whole lists against the offline copy. Each check writes four files. */
export function createDncChecks(
  parts: Pick<PlatformParts, 'stateDb' | 'tasks' | 'jobFiles' | 'clock'> & {
    dnc: DncService
    store: FileStore
  },
) {
  const { stateDb, dnc, store, tasks, jobFiles, clock } = parts
  const insert = stateDb.prepare(
    'INSERT INTO dnc_checks (id, name, order_json, counts_json, cache_as_of_ms, created_ms) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const setTask = stateDb.prepare<[string, string]>('UPDATE dnc_checks SET task_id = ? WHERE id = ?')
  const setResult = stateDb.prepare<[string, string, string]>(
    'UPDATE dnc_checks SET counts_json = ?, files_json = ? WHERE id = ?',
  )
  const columns = `id, name, task_id AS taskId, order_json AS orderJson, counts_json AS countsJson, cache_as_of_ms AS cacheAsOfMs,
    files_json AS filesJson, created_ms AS createdMs`
  const get = stateDb.prepare<[string], Row>(`SELECT ${columns} FROM dnc_checks WHERE id = ?`)
  const newestFirst = 'ORDER BY created_ms DESC, rowid DESC LIMIT ?'
  const firstPage = stateDb.prepare<[number], Row>(`SELECT ${columns} FROM dnc_checks ${newestFirst}`)
  const nextPage = stateDb.prepare<[string, number], Row>(`
    SELECT ${columns} FROM dnc_checks
    WHERE (created_ms, rowid) < (SELECT created_ms, rowid FROM dnc_checks WHERE id = ?) ${newestFirst}`)

  tasks.define<{ checkId: string }>('dnc-check', {
    unit: 'numbers',
    canPause: true,
    resumable: true,
    async run(context) {
      const { checkId } = context.payload
      const row = get.get(checkId)
      if (!row) throw new AppError('NOT_FOUND', { what: { key: 'what.check' } })
      const { source, ...order } = JSON.parse(row.orderJson) as Input
      const base = row.name.replace(/\.[^.]*$/, '') || textIn(jobFiles.language ?? 'en', pastedName(source))
      const isFresh = dnc.cache().state === 'fresh'
      const clear = store.create(`${base}-${isFresh ? 'clear' : 'not-known'}.csv`)
      const blocked = store.create(`${base}-blocked.csv`)
      const unknown = store.create(`${base}-may-be-listed.csv`)
      const unparsable = store.create(`${base}-unparsable.csv`)
      const counts = await runTaskJob(
        {
          ...jobFiles,
          job: 'dnc-check',
          source:
            'text' in source
              ? source
              : {
                  ...(await numberTable(
                    store,
                    {
                      ...source,
                      phone: source.column,
                      more: source.numberColumns,
                      country: source.countryColumn,
                    },
                    jobFiles.language,
                  )),
                  decided: source.consent,
                },
          reading: readingOf(order),
          isFresh,
          targets: {
            clear: clear.path,
            blocked: blocked.path,
            unknown: unknown.path,
            unparsable: unparsable.path,
          },
        },
        context,
      )
      const files = {
        clear: clear.fileId,
        blocked: blocked.fileId,
        unknown: unknown.fileId,
        unparsable: unparsable.fileId,
      }
      for (const fileId of Object.values(files)) store.finish(fileId)
      setResult.run(JSON.stringify(counts), JSON.stringify(files), checkId)
      context.report({ done: counts.rows, total: counts.rows, counts: { ...counts } })
    },
  })

  function view(row: Row): DncCheckRun {
    const order = JSON.parse(row.orderJson) as Input
    const task = tasks.find(row.taskId)
    const files = row.filesJson === null ? null : (JSON.parse(row.filesJson) as Files)
    const state = task?.state ?? (files ? 'done' : 'interrupted')
    const stored = { ...noCounts, ...(JSON.parse(row.countsJson) as Partial<DncCheckRun['counts']>) }
    return {
      id: row.id,
      name: row.name || pastedName(order.source),
      state: state === 'waiting' ? 'running' : state,
      taskId: task?.id ?? null,
      counts: files ? stored : { ...stored, ...task?.counts },
      ...readingOf(order),
      cacheAsOf: isoTime(row.cacheAsOfMs),
      problem: task?.problem ?? null,
      createdAt: isoTime(row.createdMs),
      files,
    }
  }

  return {
    checkFile(input: Input) {
      if (!isPhoneRegion(input.region))
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.notRegion', region: input.region } })
      const checkId = randomUUID()
      const { asOf } = dnc.cache()
      insert.run(
        checkId,
        input.name ?? '',
        JSON.stringify(input),
        JSON.stringify(noCounts),
        asOf === null ? null : Date.parse(asOf),
        clock.now(),
      )
      const task = tasks.start('dnc-check', {
        subject: input.name ?? pastedName(input.source),
        payload: { checkId },
        refId: checkId,
      })
      setTask.run(task.id, checkId)
      return { checkId, taskId: task.id }
    },
    inspectFile: ({ fileId }: { fileId: string }): Promise<Inspected> =>
      inspectNumbers(store, fileId, jobFiles.language),
    checkRuns({ limit, cursor }: InputOf<typeof dncContract, 'checkRuns'>) {
      const rows = cursor === undefined ? firstPage.all(limit) : nextPage.all(cursor, limit)
      return { items: rows.map(view), nextCursor: rows.length < limit ? null : rows.at(-1)!.id }
    },
  }
}
