import { describe, expect, it } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { createCommitQueue } from '#electron/listener/commit-queue.ts'
import type { Delivery } from '#electron/listener/journal.ts'
import type { StoringState } from '#electron/listener/protocol.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

function setup() {
  const clock = createFakeClock()
  const commits: string[][] = []
  const answers: Record<string, boolean> = {}
  const states: StoringState['kind'][] = []
  const failure: { error: AppError | undefined } = { error: undefined }
  const throwing = () => {
    if (failure.error) throw failure.error
  }
  let recoveries = 0
  let splits = 0
  const queue = createCommitQueue({
    split(delivery) {
      splits++
      return [delivery]
    },
    append(deliveries: readonly Delivery[]) {
      throwing()
      commits.push(deliveries.map((one) => one.remote))
    },
    clock,
    storeDeadlineMs: 3_000,
    pendingBytes: 100,
    busyDeliveries: 8,
    onState: (state) => states.push(state.kind),
    beforeRecovery() {
      throwing()
      recoveries++
    },
  })
  const push = (name: string, bytes = 10) =>
    queue.push({
      receivedMs: clock.now(),
      verdict: 'signed',
      secretId: 's',
      remote: name,
      headersJson: '[]',
      body: new Uint8Array(bytes),
      arrivedMs: clock.monotonic(),
      settle: (stored) => (answers[name] = stored),
    })
  return {
    clock,
    commits,
    answers,
    states,
    failure,
    queue,
    push,
    recoveries: () => recoveries,
    splits: () => splits,
  }
}

const busy = () => new AppError('STORAGE_BUSY')

describe('the commit queue', () => {
  it('commits everything of one event loop turn at once, then answers', async () => {
    const { push, commits, answers } = setup()
    push('a')
    push('b')
    expect(answers).toEqual({})
    await turn()
    push('c')
    await turn()
    expect(commits).toEqual([['a', 'b'], ['c']])
    expect(answers).toEqual({ a: true, b: true, c: true })
  })

  it('waits for a busy database, then stores, and reads each delivery once', async () => {
    const { push, commits, answers, failure, clock, states, splits } = setup()
    failure.error = busy()
    push('a')
    await turn()
    await clock.advance(1_000)
    push('b')
    failure.error = undefined
    await clock.advance(60)
    expect(commits).toEqual([['a', 'b']])
    expect(splits()).toBe(2)
    expect(answers).toEqual({ a: true, b: true })
    expect(states).toEqual([])
  })

  it('gives up on each delivery after 3 s and reports recovery', async () => {
    const { push, answers, failure, clock, states, recoveries } = setup()
    failure.error = busy()
    push('early')
    await turn()
    await clock.advance(2_000)
    push('late')
    await clock.advance(1_100)
    expect(answers).toEqual({ early: false })
    expect(states).toEqual(['not-storing'])
    failure.error = undefined
    await clock.advance(60)
    expect(answers).toEqual({ early: false, late: true })
    expect(states).toEqual(['not-storing', 'storing'])
    expect(recoveries()).toBe(1)
    push('next')
    await turn()
    expect(recoveries()).toBe(1)
  })

  it('answers at once when waiting would not help', async () => {
    const { push, answers, failure, states, queue } = setup()
    failure.error = new AppError('DISK_FULL')
    push('a')
    await turn()
    expect(answers).toEqual({ a: false })
    expect(queue.state()).toMatchObject({ kind: 'not-storing', code: 'DISK_FULL' })
    push('b')
    await turn()
    expect(states).toEqual(['not-storing'])
  })

  it('limits memory while it waits', async () => {
    const { push, answers, failure, clock } = setup()
    failure.error = busy()
    push('a', 60)
    await turn()
    push('b', 60)
    expect(answers).toEqual({ b: false })
    failure.error = undefined
    await clock.advance(60)
    push('c', 60)
    await turn()
    expect(answers).toEqual({ a: true, b: false, c: true })
  })

  it('notices recovery at the next heartbeat without a delivery', async () => {
    const { push, failure, queue, states } = setup()
    failure.error = new AppError('DISK_FULL')
    push('a')
    await turn()
    queue.probe(() => {})
    expect(queue.state().kind).toBe('not-storing')
    failure.error = undefined
    queue.probe(() => {})
    expect(states).toEqual(['not-storing', 'storing'])
  })

  it('stores or refuses the rest at the end', async () => {
    const first = setup()
    first.push('a')
    first.queue.drain()
    expect(first.answers).toEqual({ a: true })
    const second = setup()
    second.failure.error = busy()
    second.push('a')
    second.queue.drain()
    await turn()
    expect(second.answers).toEqual({ a: false })
  })

  it('refuses a delivery after an unexpected error', async () => {
    const { push, answers, failure, queue } = setup()
    failure.error = new TypeError('odd') as AppError
    push('a')
    await turn()
    expect(answers).toEqual({ a: false })
    expect(queue.state()).toMatchObject({ code: 'STORAGE_FAILED' })
  })
})
