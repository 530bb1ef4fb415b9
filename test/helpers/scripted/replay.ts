import { AppError } from '#contract/errors.ts'
import type { Replay } from '#contract/replay.ts'
import type { Script } from './script.ts'
import { createBroadcast } from './broadcast.ts'

/** The replay of a script: its state is what was asked for, its clock stands still, and its events are those of `events`. */
export function scriptedReplay(events: Script['events']): {
  answers: Script['replay']
  set(change: Partial<Replay>): void
} {
  const state = createBroadcast<Replay | null>(null)
  const ask = (): Replay => {
    const replay = state.value()
    if (!replay) throw new AppError('REPLAY_ENDED')
    return replay
  }
  const change = (part: Partial<Replay>): Replay => {
    state.set({ ...ask(), ...part })
    return ask()
  }

  const answers: Script['replay'] = {
    state: async function* (_input: unknown, signal?: AbortSignal) {
      for await (const replay of state.watch(signal)) yield { replay, asOf: new Date().toISOString() }
    } as unknown as Script['replay']['state'],
    start({ from, to, speed = 1, skipQuiet = false }) {
      const middle = (Date.parse(from) + Date.parse(to)) / 2
      state.set({
        id: 'replay-1',
        from,
        to,
        clock: new Date(Math.floor(middle / 1_000) * 1_000).toISOString(),
        speed,
        playing: true,
        atEnd: false,
        skipQuiet,
        shown: 812,
        total: 2_040,
        gone: 0,
        jump: 0,
        recording: null,
      })
      return ask()
    },
    load: async function* ({
      speed = 1,
      skipQuiet = false,
    }: {
      speed?: Replay['speed']
      skipQuiet?: boolean
    }) {
      const span = { from: '2026-01-05T13:00:00.000Z', to: '2026-01-05T14:00:00.000Z' }
      await answers.start({ ...span, speed, skipQuiet }, undefined)
      const recording = {
        connection: 'Night shift',
        fingerprint: 'ab'.repeat(32),
        signedBy: 'another-key',
      } as const
      yield { kind: 'started', replay: change({ recording }) }
    } as unknown as Script['replay']['load'],
    async profile({ bucketMs }, signal) {
      const { from, to } = ask()
      const { holes } = await events.holes({ days: 400 }, signal)
      return { series: await events.series({ from, to, bucketMs }, signal), holes }
    },
    control(input) {
      switch (input.action) {
        case 'pause':
          return change({ playing: false })
        case 'resume':
          return change({ playing: true })
        case 'step':
          return change({ playing: false, shown: ask().shown + 1 })
        case 'seek':
          return change({ clock: input.at, jump: ask().jump + 1 })
        case 'speed':
          return change({ speed: input.speed })
        case 'skipQuiet':
          return change({ skipQuiet: input.on })
      }
    },
    stop() {
      state.set(null)
      return {}
    },
    search: events.search,
    watch: events.watch,
    get: events.get,
    series: events.series,
    holes: events.holes,
  }
  return { answers, set: (part) => void change(part) }
}
