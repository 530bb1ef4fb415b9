import { expect, test } from 'vitest'
import { confirmSend, dryRun, peopleIn, sendTo } from '../../../../helpers/bulk-sends.ts'
import { savedBy, upload } from '../../../../helpers/contact-files.ts'
import { deliverEvents, dlrBody } from '../../../../helpers/deliver-events.ts'
import { testSecret } from '../../../../helpers/listener.ts'
import { openAtOttService } from '../../../../helpers/ott-service.ts'
import { eventsStored, outboxOver, taskEnd } from '../../../../helpers/wait-for.ts'

const phoneOf = (n: number) => `+49151200000${String(n).padStart(2, '0')}`
const report = (id: string, status: string, code: number | null = null) =>
  dlrBody(id, status).replace('"error_code":null', `"error_code":${code}`)

test('joins reports to a send’s messages, and retries only what certainly didn’t arrive', async () => {
  // Faster, a busy machine's answers would time out.
  const { rpc, service } = await openAtOttService({ speed: 10 })
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello', variables: [] })
  const numbers = Array.from({ length: 10 }, (_, at) => phoneOf(at))
  const fileId = await upload(
    rpc,
    'people.csv',
    `name,mobile\n${numbers.map((one) => `A,${one}`).join('\n')}`,
  )
  const { send } = await dryRun(rpc, { key, source: peopleIn(fileId) })
  // The sixth is accepted as rejected, the seventh and the tenth never answered.
  const unanswered = [phoneOf(6), phoneOf(9)]
  service.fate = (to) => (to === phoneOf(5) ? 'filtered' : unanswered.includes(to) ? 'failed-after' : 'done')
  const { taskId } = await confirmSend(rpc, send.id)
  await taskEnd(rpc, taskId!)
  await outboxOver(rpc)
  const { batchId } = (await rpc.templates.sendOf({ id: send.id })).send
  const { items } = await rpc.outbox.list({ filter: { batchId: batchId! } })
  const idOf = (n: number) => items.find(({ phone }) => phone === phoneOf(n))!.serviceId ?? ''
  const counts = async () => {
    const answer = await rpc.sendReports.get({ id: send.id })
    const rows = answer.counts.map((one) => [one.status ?? one.outcome, one.code, one.count].join(' '))
    return { rows: rows.sort(), retryable: answer.retryable, retried: answer.retried }
  }
  expect(await counts()).toEqual({
    rows: ['no-report  7', 'rejected  1', 'unclear  2'],
    retryable: 0,
    retried: 0,
  })
  const { id: tenth } = items.find(({ phone }) => phone === phoneOf(9))!
  await rpc.outbox.resolve({ selection: { ids: [tenth] }, how: 'mark-done' })
  expect((await counts()).rows).toEqual(['no-id  1', 'no-report  7', 'rejected  1', 'unclear  1'])

  await deliverEvents(
    rpc,
    testSecret,
    report(idOf(0), 'delivered'),
    report(idOf(1), 'failed', 2),
    report(idOf(2), 'failed', 1),
    // A late receipt outranks the failure.
    report(idOf(3), 'failed', 2),
    report(idOf(3), 'delivered'),
    report(idOf(4), 'expired'),
    report(idOf(7), 'failed', 3),
    report(idOf(8), 'failed', 2),
  )
  await eventsStored(rpc, 8)
  const rows = [
    'delivered  2',
    'expired  1',
    'failed 1 1',
    'failed 2 2',
    'failed 3 1',
    'no-id  1',
    'rejected  1',
    'unclear  1',
  ]
  expect(await counts()).toEqual({ rows, retryable: 3, retried: 0 })

  // One got the template in another way since, one opted out.
  await sendTo(rpc, { key, to: phoneOf(7) })
  await outboxOver(rpc)
  await rpc.dnc.hold({ phone: phoneOf(8), region: 'DE', evidence: 'asked' })
  expect(await counts()).toEqual({ rows, retryable: 2, retried: 0 })
  const both = await Promise.all([1, 2].map(() => rpc.sendReports.retryFailed({ id: send.id })))
  expect(both.map(({ queued }) => queued).sort()).toEqual([0, 1])
  expect(both[0]!.blocked).toBe(1)
  await outboxOver(rpc)
  expect(numbers.map((one) => service.sent.get(one))).toEqual([1, 2, 1, 1, 1, undefined, 1, 2, 1, 1])
  expect(await counts()).toMatchObject({ retried: 1 })
  expect((await counts()).rows).toEqual([
    'delivered  2',
    'expired  1',
    'failed 1 1',
    'failed 2 1',
    'failed 3 1',
    'no-id  1',
    'no-report  1',
    'rejected  1',
    'unclear  1',
  ])
  const results = await savedBy(rpc, await rpc.templates.exportResults({ id: send.id, what: 'all' }))
  const selection = { filter: { states: ['unknown' as const] } }
  await rpc.dnc.hold({ phone: phoneOf(6), region: 'DE', evidence: 'asked' })
  const blocked = [{ phone: phoneOf(6), reason: { key: 'dnc.held', evidence: 'asked' } }]
  expect(await rpc.sendReports.resendCheck({ selection })).toMatchObject({
    blocked,
    blockedCount: 1,
    more: false,
  })
  expect(await rpc.outbox.resolve({ selection, how: 'send-again' })).toMatchObject({
    resolved: 0,
    blocked: 1,
  })
  await rpc.outbox.resolve({ selection, how: 'discard' })
  expect((await counts()).rows).toContain('unclear  1')
  expect(results).toMatch(new RegExp(`"\\${phoneOf(2)}".*"${idOf(2)}","queued","failed","1","20`))
})

test('sends a test of one recipient’s message, which leaves the send as it was', async () => {
  const { rpc, service } = await openAtOttService({ dnc: [phoneOf(9)] })
  const { key } = await rpc.templates.create({
    name: 'Hello',
    body: 'Hello {{name}}',
    variables: [{ name: 'name', type: 'string' }],
  })
  const fileId = await upload(rpc, 'people.csv', `name,mobile\nAda,${phoneOf(0)}\nGrace,${phoneOf(1)}`)
  const mapping = [{ name: 'name', source: { from: 'name' as const } }]
  const { send } = await dryRun(rpc, { key, source: peopleIn(fileId), mapping })
  const order = { id: send.id, at: 2, region: 'DE' }
  await expect(rpc.templates.test({ ...order, to: phoneOf(9) })).rejects.toMatchObject({ code: 'ON_DNC' })
  const { batchId } = await rpc.templates.test({ ...order, to: '0151 20000077' })
  await outboxOver(rpc)
  expect(service.requests).toMatchObject([{ to: phoneOf(77), variables: { name: 'Grace' } }])
  expect(await rpc.templates.sendOf({ id: send.id })).toMatchObject({
    send: { state: 'prepared', counts: { willSend: 2 } },
    test: { batchId, phone: phoneOf(77) },
  })
  expect(await rpc.sendReports.get({ id: send.id })).toMatchObject({ counts: [] })
  expect((await rpc.templates.sentTo({ key, to: phoneOf(1), region: 'DE' })).items).toEqual([])

  // The send is queued while the test is being checked.
  const late = expect(rpc.templates.test({ ...order, to: phoneOf(77) })).rejects.toMatchObject({
    code: 'SEND_NOT_POSSIBLE',
  })
  const { taskId } = await confirmSend(rpc, send.id)
  await late
  await taskEnd(rpc, taskId!)
  await outboxOver(rpc)
  expect(service.requests.map(({ to }) => to)).toEqual([phoneOf(77), phoneOf(0), phoneOf(1)])
})
