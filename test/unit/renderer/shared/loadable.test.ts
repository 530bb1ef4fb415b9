import { describe, expect, it } from 'vitest'
import { createLoadable } from '../../../../renderer/src/shared/state/loadable.ts'
import { DisconnectedError } from '../../../../renderer/src/rpc/error-view.ts'

/** Readings that a test ends when it likes. */
function createReadings() {
  const waiting: PromiseWithResolvers<number>[] = []
  return {
    read: () => {
      const reading = Promise.withResolvers<number>()
      waiting.push(reading)
      return reading.promise
    },
    waiting,
  }
}

describe('something read from the core', () => {
  it('goes from idle over loading to ready', async () => {
    const { read, waiting } = createReadings()
    const source = createLoadable(read)
    expect(source.state.value).toEqual({ kind: 'idle' })
    const done = source.refresh()
    expect(source.state.value).toEqual({ kind: 'loading' })
    waiting[0]!.resolve(7)
    await done
    expect(source.state.value).toEqual({ kind: 'ready', value: 7, error: null })
  })

  it('keeps its last value when a later reading fails, and says why', async () => {
    const { read, waiting } = createReadings()
    const source = createLoadable(read)
    const first = source.refresh()
    waiting[0]!.resolve(7)
    await first
    const second = source.refresh()
    expect(source.state.value.kind).toBe('ready')
    waiting[1]!.reject(new DisconnectedError('gone'))
    await second
    expect(source.state.value).toMatchObject({ kind: 'ready', value: 7, error: { code: 'DISCONNECTED' } })
  })

  it('counts only the reading that was started last', async () => {
    const { read, waiting } = createReadings()
    const source = createLoadable(read)
    const both = [source.refresh(), source.refresh()]
    waiting[1]!.resolve(2)
    waiting[0]!.resolve(1)
    await Promise.all(both)
    expect(source.state.value).toMatchObject({ value: 2 })
  })

  it('does not take an answer that comes after it was reset or set', async () => {
    const { read, waiting } = createReadings()
    const source = createLoadable(read)
    const first = source.refresh()
    source.reset()
    waiting[0]!.resolve(1)
    await first
    expect(source.state.value).toEqual({ kind: 'idle' })
    const second = source.refresh()
    source.set(9)
    waiting[1]!.resolve(2)
    await second
    expect(source.state.value).toMatchObject({ value: 9 })
  })
})
