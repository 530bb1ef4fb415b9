import { expect, test } from 'vitest'
import { createEventDetail } from '../../../../renderer/src/features/events/event-detail.ts'
import { row } from './event-record.ts'

/** Details whose answers are given by hand. */
function begin() {
  const waiting = new Map<number, { resolve(detail: unknown): void; reject(cause: unknown): void }>()
  const detail = createEventDetail({
    events: {
      get: ({ seq }: { seq: number }) =>
        new Promise((resolve, reject) => waiting.set(seq, { resolve, reject })),
    },
  } as never)
  return { detail, waiting }
}

test('the row shows at once, the details when they come', async () => {
  const { detail, waiting } = begin()
  const showing = detail.show(row(1))
  expect(detail.state.value).toMatchObject({ kind: 'loading', row: { seq: 1 } })
  waiting.get(1)!.resolve({ rawBody: '{}' })
  await showing
  expect(detail.state.value).toMatchObject({ kind: 'ready', detail: { rawBody: '{}' } })
})

test('an answer for an event that was left is dropped', async () => {
  const { detail, waiting } = begin()
  const first = detail.show(row(1))
  void detail.show(row(2))
  waiting.get(1)!.resolve({ rawBody: 'one' })
  await first
  expect(detail.state.value).toMatchObject({ kind: 'loading', row: { seq: 2 } })
})

test('closing while it loads stays closed', async () => {
  const { detail, waiting } = begin()
  const showing = detail.show(row(1))
  detail.close()
  waiting.get(1)!.resolve({})
  await showing
  expect(detail.state.value.kind).toBe('closed')
})

test('details that cannot be read are told beside the row', async () => {
  const { detail, waiting } = begin()
  const showing = detail.show(row(1))
  waiting.get(1)!.reject(new Error('no'))
  await showing
  expect(detail.state.value).toMatchObject({ kind: 'failed', row: { seq: 1 } })
})
