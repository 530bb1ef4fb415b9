import { describe, expect, test } from 'vitest'
import { watch } from 'vue'
import {
  createEventStream,
  liveRowLimit,
  loadedRowLimit,
  pageSize,
} from '../../../../../renderer/src/features/events/event-stream.ts'
import { createEventRecord, row, rowsFrom } from './event-record.ts'

const seqs = (rows: readonly { seq: number }[]) => rows.map((item) => item.seq)
const falling = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at)

async function started(stored = 3) {
  const record = createEventRecord(rowsFrom(1, stored))
  const stream = createEventStream(record.ports)
  const stop = stream.start({})
  await record.frame()
  return { record, stream, stop }
}

describe('from stored to arriving events', () => {
  test('shows stored events newest first, with both totals', async () => {
    const { stream } = await started(3)
    expect(seqs(stream.rows.value)).toEqual([3, 2, 1])
    expect(stream.storedTotal.value).toBe(3)
    expect(stream.matchingTotal.value).toBe(3)
    expect(stream.phase.value.kind).toBe('ready')
  })

  test('shows an event stored between search and watch once', async () => {
    const record = createEventRecord(rowsFrom(1, 2))
    const open = record.holdSearches()
    const stream = createEventStream(record.ports)
    stream.start({})
    open()
    record.replace(rowsFrom(1, 3))
    await record.frame()
    record.push(row(4))
    await record.frame()
    expect(seqs(stream.rows.value)).toEqual([4, 3, 2, 1])
  })

  test('continues an unfinished search automatically, and shows matches and progress', async () => {
    const record = createEventRecord(
      rowsFrom(1, 90).map((item) => ({
        ...item,
        status: [3, 40, 88].includes(item.seq) ? 'failed' : 'delivered',
      })),
    )
    record.lookThrough(10)
    const stream = createEventStream(record.ports)
    const came: [string, number[]][] = []
    watch(stream.searchedBackTo, (time) => time !== null && came.push([time, seqs(stream.rows.value)]), {
      flush: 'sync',
    })
    stream.start({ statuses: ['failed'] })
    for (let frames = 0; frames < 20; frames++) await record.frame()
    expect(seqs(stream.rows.value)).toEqual([88, 40, 3])
    expect(came.length).toBeGreaterThan(1)
    expect(came.map(([time]) => time)).toEqual([...came.map(([time]) => time)].sort().reverse())
    expect(came[0]![1]).toEqual([88])
    expect(stream.searchedBackTo.value).toBeNull()
    expect(stream.older.value).toEqual({ kind: 'end' })
  })

  test('resumes a broken stream where it broke, without gaps or repeats', async () => {
    const { record, stream } = await started(2)
    record.push(row(3))
    await record.frame()
    record.breakStreams()
    record.push(row(4), row(5))
    await record.frame()
    expect(seqs(stream.rows.value)).toEqual([5, 4, 3, 2, 1])
    expect(record.opened.map((opening) => opening.afterSeq)).toEqual([2, 3])
  })

  test('shows events that are sent again once', async () => {
    const record = createEventRecord(rowsFrom(1, 5))
    record.overlapStreams(3)
    const stream = createEventStream(record.ports)
    stream.start({})
    await record.frame()
    record.push(row(6))
    record.breakStreams()
    await record.frame()
    expect(seqs(stream.rows.value)).toEqual([6, 5, 4, 3, 2, 1])
  })

  test('reports a broken stream until events arrive again', async () => {
    const { record, stream } = await started(1)
    record.breakStreams()
    await record.settle()
    expect(stream.lost.value?.code).toBe('DISCONNECTED')
    record.push(row(2))
    await record.frame()
    expect(stream.lost.value).toBeNull()
    expect(stream.rows.value).toHaveLength(2)
  })

  test('reloads when the record was replaced by another', async () => {
    const { record, stream } = await started(50)
    record.breakStreams()
    record.replace(rowsFrom(1, 2, { status: 'failed' }))
    await record.frame()
    await record.frame()
    expect(stream.rows.value.map((item) => item.status)).toEqual(['failed', 'failed'])
    expect(stream.storedTotal.value).toBe(2)
  })

  test('ends its stream on stop, also after a restart', async () => {
    const { record, stream, stop } = await started(3)
    stream.restart()
    await record.frame()
    stop()
    record.push(row(4))
    await record.frame()
    expect(seqs(stream.rows.value)).toEqual([3, 2, 1])
    expect(record.subscriptions.size).toBe(0)
  })

  test('reports a failed search and shows nothing of an older filter', async () => {
    const { record, stream } = await started(3)
    record.failSearches(new Error('no'))
    stream.start({ statuses: ['failed'] })
    await record.frame()
    expect(stream.phase.value.kind).toBe('failed')
    expect(stream.rows.value).toEqual([])
  })

  test('ignores an answer for an earlier filter', async () => {
    const record = createEventRecord([row(1, { status: 'failed' }), row(2)])
    const open = record.holdSearches()
    const stream = createEventStream(record.ports)
    stream.start({ statuses: ['delivered'] })
    stream.start({ statuses: ['failed'] })
    open()
    await record.frame()
    expect(seqs(stream.rows.value)).toEqual([1])
  })

  test('updates the row of a shown event in place for a duplicate', async () => {
    const { record, stream } = await started(3)
    record.change(row(2, { copies: 2 }))
    await record.frame()
    expect(stream.rows.value.map((item) => item.copies)).toEqual([1, 2, 1])
  })
})

describe('filters', () => {
  test('apply to history and arrivals alike', async () => {
    const record = createEventRecord([row(1, { status: 'failed' }), row(2)])
    const stream = createEventStream(record.ports)
    stream.start({ statuses: ['failed'] })
    await record.frame()
    record.push(row(3), row(4, { status: 'failed' }))
    await record.frame()
    expect(seqs(stream.rows.value)).toEqual([4, 1])
    expect(stream.matchingTotal.value).toBe(2)
    expect(stream.storedTotal.value).toBe(4)
  })
})

describe('a held view', () => {
  test('does not move while events arrive, counts them, and shows them on release', async () => {
    const { record, stream } = await started(2)
    stream.hold()
    record.push(row(3), row(4))
    await record.frame()
    expect(seqs(stream.rows.value)).toEqual([2, 1])
    expect(stream.heldCount.value).toBe(2)
    expect(stream.storedTotal.value).toBe(4)
    stream.release()
    expect(seqs(stream.rows.value)).toEqual([4, 3, 2, 1])
    expect(stream.heldCount.value).toBe(0)
  })

  test('keeps events that arrive between frames when it begins or ends', async () => {
    const { record, stream } = await started(1)
    record.push(row(2))
    for (let turn = 0; turn < 4; turn++) await record.settle()
    stream.hold()
    record.push(row(3))
    for (let turn = 0; turn < 4; turn++) await record.settle()
    stream.release()
    expect(seqs(stream.rows.value)).toEqual([3, 2, 1])
  })

  test('counts a flood longer than the buffer exactly and loses nothing', async () => {
    const { record, stream } = await started(5)
    stream.hold()
    const flood = liveRowLimit * 2 + 7
    record.push(...rowsFrom(6, flood))
    await record.frame()
    expect(stream.heldCount.value).toBe(flood)
    stream.release()
    await record.frame()
    const newest = 5 + flood
    expect(seqs(stream.rows.value)).toEqual(falling(newest, newest - pageSize + 1))
    while (stream.older.value.kind === 'more') await stream.loadOlder()
    expect(seqs(stream.rows.value)).toEqual(falling(newest, 1))
  })

  test('shows the count of a held event’s duplicates on release', async () => {
    const { record, stream } = await started(1)
    stream.hold()
    record.push(row(2))
    await record.frame()
    record.change(row(2, { copies: 3 }))
    await record.frame()
    stream.release()
    expect(stream.rows.value[0]).toMatchObject({ seq: 2, copies: 3 })
  })
})

describe('limits', () => {
  test('keep the newest rows of a long stream; older ones are a page away', async () => {
    const { record, stream } = await started(10)
    record.push(...rowsFrom(11, liveRowLimit + 500))
    await record.frame()
    expect(stream.rows.value).toHaveLength(liveRowLimit)
    expect(stream.older.value.kind).toBe('more')
    const lastSeq = stream.rows.value.at(-1)!.seq
    await stream.loadOlder()
    expect(seqs(stream.rows.value).slice(liveRowLimit)).toEqual(falling(lastSeq - 1, lastSeq - pageSize))
  })

  test('do not append an older page that no longer joins the list', async () => {
    const { record, stream } = await started(pageSize * 2)
    const open = record.holdSearches()
    const paging = stream.loadOlder()
    record.push(...rowsFrom(pageSize * 2 + 1, liveRowLimit))
    await record.frame()
    open()
    await paging
    expect(seqs(stream.rows.value)).toEqual(falling(pageSize * 2 + liveRowLimit, pageSize * 2 + 1))
    await stream.loadOlder()
    expect(seqs(stream.rows.value)).toHaveLength(liveRowLimit + pageSize)
  })

  test('change the list once per frame for many batches', async () => {
    const { record, stream } = await started(1)
    record.push(row(2))
    await record.settle()
    await record.settle()
    record.push(row(3))
    for (let turn = 0; turn < 4; turn++) await record.settle()
    expect(stream.rows.value).toHaveLength(1)
    await record.frame()
    expect(stream.rows.value).toHaveLength(3)
  })

  test('take in arrivals even when no frame is drawn', async () => {
    const { record, stream } = await started(1)
    record.push(...rowsFrom(2, liveRowLimit))
    for (let turn = 0; turn < 4; turn++) await record.settle()
    expect(stream.rows.value[0]?.seq).toBe(liveRowLimit + 1)
  })

  test('page back without a gap to the end of the record', async () => {
    const { stream } = await started(pageSize * 2 + 50)
    await stream.loadOlder()
    await stream.loadOlder()
    expect(seqs(stream.rows.value)).toEqual(falling(pageSize * 2 + 50, 1))
    expect(stream.older.value.kind).toBe('end')
  })

  test('end paging back at a bound that memory allows', async () => {
    const { stream } = await started(loadedRowLimit + pageSize)
    while (stream.older.value.kind === 'more') await stream.loadOlder()
    expect(stream.older.value.kind).toBe('full')
    expect(stream.rows.value).toHaveLength(loadedRowLimit)
  })

  test('keep what is shown when a page of history fails, and allow a retry', async () => {
    const { record, stream } = await started(pageSize + 1)
    record.failSearches(new Error('no'))
    await stream.loadOlder()
    expect(stream.older.value.kind).toBe('failed')
    expect(stream.rows.value).toHaveLength(pageSize)
    record.failSearches(undefined)
    await stream.loadOlder()
    expect(stream.rows.value).toHaveLength(pageSize + 1)
  })
})
