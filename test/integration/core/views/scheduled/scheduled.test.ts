import { expect, test } from 'vitest'
import type { ScheduledStep } from '#contract/views/scheduled.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { startTestCoreAt, usualAnswer } from '../../../../helpers/answering-service.ts'
import { download } from '../../../../helpers/contact-files.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { startInSandbox } from '../../../../helpers/test-core.ts'

async function read(rpc: Rpc, freshForMs = 0): Promise<ScheduledStep[]> {
  const steps: ScheduledStep[] = []
  for await (const step of await rpc.scheduled.read({ freshForMs })) steps.push(step)
  return steps
}

test('reads the list of the sandbox, exports shown rows in their order, and keeps the list with its age', async () => {
  const { rpc, sandbox } = await startInSandbox()
  const there = sandbox.tenant().scheduled()
  const [page, done, ...rest] = await read(rpc)
  const reading = { loaded: there.length, total: there.length, state: 'whole' }
  expect([page, done, rest]).toMatchObject([{ kind: 'page' }, { kind: 'done', reading, gone: [] }, []])
  expect(await read(rpc, 60_000)).toMatchObject([{ kind: 'kept', isLast: true, reading }, { kind: 'fresh' }])
  expect(sandbox.requestLog().filter(({ path }) => path.includes('/scheduled-messages'))).toHaveLength(2)

  if (page?.kind !== 'page') throw new Error('no page')
  const ids = page.items.slice(0, 2).map(({ id }) => id as string)
  const { fileId, count, name } = await rpc.scheduled.exportCsv({ ids: [...ids, 'gone'] })
  expect({ count, name }).toEqual({ count: 2, name: expect.stringMatching(/^scheduled-.*\.csv$/) })
  const lines = (await download(rpc, fileId)).toString().trim().split('\r\n')
  expect(lines).toEqual([
    expect.anything(),
    expect.stringContaining(ids[0]!),
    expect.stringContaining(ids[1]!),
  ])
  await expect(rpc.scheduled.exportCsv({ ids: ['gone'] })).rejects.toMatchObject({ code: 'NOT_FOUND' })

  sandbox.setFault('forbidden')
  expect(await read(rpc)).toMatchObject([
    { kind: 'kept', reading: done?.kind === 'done' ? done.reading : null },
    { kind: 'failed', error: { code: 'FORBIDDEN' } },
  ])
})

/** A core whose service has `count` entries at each request, the first one with the number `from`. */
const startWith = (listAt: (request: number) => { from: number; count: number }, clock = systemClock) => {
  let requests = 0
  return startTestCoreAt(
    (asked) => {
      if (asked.path !== '/scheduled-messages') return usualAnswer(asked)
      const { from, count: total } = listAt(++requests)
      const page = Number(asked.query.get('page'))
      const ids = Array.from({ length: total }, (_item, at) => ({ id: `s-${from + at}`, status: 'pending' }))
      return [200, { data: ids.slice((page - 1) * 100, page * 100), total, page, per_page: 100 }]
    },
    { clock },
  )
}

test('forgets what leaves while the list is read, and takes no list from the future for fresh', async () => {
  let laterMs = 0
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs }
  const { rpc } = await startWith(
    (request) => (request === 1 ? { from: 0, count: 101 } : { from: 1, count: 100 }),
    clock,
  )
  expect((await read(rpc)).at(-1)).toMatchObject({ kind: 'done', gone: ['s-0'] })
  laterMs = -3_600_000
  expect((await read(rpc, 60_000)).at(-1)).toMatchObject({ kind: 'done', gone: [] })
})

test('stops reading when the page is left', async () => {
  const { rpc, service } = await startWith(() => ({ from: 0, count: 2_000 }))
  for await (const step of await rpc.scheduled.read({})) if (step.kind === 'page') break
  expect(service.asked.filter(({ path }) => path === '/scheduled-messages').length).toBeLessThan(20)
})
