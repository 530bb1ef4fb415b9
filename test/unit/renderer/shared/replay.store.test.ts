import { beforeEach, expect, it, vi } from 'vitest'
import type { Replay } from '#contract/replay.ts'
import { useReplayStore } from '../../../../renderer/src/shared/replay/replay.store.ts'
import { createRendererApp } from '../../../helpers/renderer-app.ts'

const replay: Replay = {
  id: 'r-1',
  from: '2026-11-20T14:00:00.000Z',
  to: '2026-11-20T15:00:00.000Z',
  clock: '2026-11-20T14:12:07.000Z',
  speed: 5,
  playing: true,
  atEnd: false,
  skipQuiet: false,
  shown: 3,
  total: 9,
  gone: 0,
  jump: 0,
  recording: null,
}

const kept = new Map<string, string>()
beforeEach(() => {
  kept.clear()
  // The window's storage, which a reload keeps.
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
  return () => vi.unstubAllGlobals()
})

function open() {
  const stopped = Promise.withResolvers<Record<string, never>>()
  const app = createRendererApp({ replay: { stop: () => stopped.promise, start: () => replay } })
  const store = app.run(useReplayStore)
  const close = store.start()
  const tell = (next: Replay | null) => app.streams[0]!.onItem({ replay: next, asOf: '' } as never)
  return { store, tell, stopped, close }
}

it('shows nothing as live before the core has said whether a replay runs', () => {
  const { store, tell } = open()
  expect(store.known).toBe(false)
  tell(replay)
  expect(store.known).toBe(true)
  expect(store.replay).toEqual(replay)
  expect(store.clockMs).toBe(Date.parse(replay.clock))
})

it('says that one ended which it did not stop itself, and not of one that it did, whichever answer comes first', async () => {
  const { store, tell, stopped } = open()
  tell(replay)
  tell(null)
  expect(store.ended).toMatchObject({ from: replay.from })
  tell(replay)
  expect(store.ended).toBeNull()
  const stopping = store.stop()
  tell(replay)
  tell(null)
  stopped.resolve({})
  await stopping
  expect(store.replay).toBeNull()
  expect(store.ended).toBeNull()
})

it('says after a closed connection that the replay is over', () => {
  const { store, tell, close } = open()
  tell(replay)
  close()
  expect(store.replay).toBeNull()
  expect(store.ended).toMatchObject({ to: replay.to })
})
