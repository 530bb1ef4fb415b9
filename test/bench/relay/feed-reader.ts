import { WebSocket } from 'ws'
import { createFeedClient } from '#electron/listener/feed-client.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { serveParent } from '../listener/messages.ts'

/** `node feed-reader.ts bare|feed PORT COUNT TOKEN`: reads COUNT stored deliveries when asked. */
const [kind, port, count, token] = process.argv.slice(2) as [string, string, string, string]

/** Receives, and looks at nothing. */
const readBare = () =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false })
    socket.on('message', () => {})
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })

/** As a console reads, but stores nothing. */
const readFeed = () =>
  new Promise<void>((resolve, reject) => {
    let position: { relayId: string; seq: number } | null = null
    const client = createFeedClient({
      url: `http://127.0.0.1:${port}`,
      inbox: 'main',
      token,
      sink: {
        position: () => position,
        store(relayId, deliveries) {
          position = { relayId, seq: deliveries.at(-1)!.seq }
          if (position.seq < Number(count)) return
          client.stop()
          resolve()
        },
        gap: () => reject(new Error('The relay has lost deliveries')),
        listening: () => {},
      },
      onState(state) {
        if (state.kind === 'refused') reject(new Error(`Refused: ${state.reason}`))
      },
      clock: systemClock,
      random: Math.random,
    })
    client.start()
  })

serveParent(0, () => Promise.resolve(null), kind === 'bare' ? readBare : readFeed)
