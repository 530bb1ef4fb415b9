import { type ClientLink, createORPCClient, ORPCError, safe } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { tinyContract } from '../../helpers/tiny-contract.ts'

export type TinyClient = ContractRouterClient<typeof tinyContract>

/** One open way to the tiny core. */
export interface Channel {
  link: ClientLink<Record<never, never>>
  /** Sends a frame as it is, past the client. */
  sendRaw(frame: string | Uint8Array): void
  /** Ends this channel from the client's side. */
  close(): void
}

/** A transport under test: `open` makes one more channel to the same core. */
export interface ChannelHost {
  open(): Promise<Channel>
  stop(): Promise<void>
}

const junkFrames: (string | Uint8Array)[] = [
  '',
  'not json',
  '{',
  'null',
  '[]',
  '42',
  '"text"',
  '{}',
  '{"i":1}',
  '{"i":"1","p":null}',
  '{"i":"9","p":{}}',
  '{"i":"9","p":{"u":17}}',
  '{"i":"9","p":{"u":"http://[bad"}}',
  '{"i":"9","t":3,"p":{"e":"message","d":1}}',
  '{"i":"9","t":4}',
  '{"i":"9","t":99,"p":{}}',
  '{"i":{"toString":1},"p":{"u":"/echo"}}',
  `{"i":"9","p":{"u":"/${'a'.repeat(10_000)}"}}`,
  new Uint8Array(),
  new Uint8Array([255]),
  new Uint8Array([0, 1, 2, 255, 254]),
  new TextEncoder().encode(
    '{"i":"9","p":{"u":"/echo","h":{"content-type":"multipart/form-data; boundary=x"}}}',
  ),
]

/** The behaviours every transport must have, run over one of them. */
export function describeChannel(name: string, start: () => Promise<ChannelHost>): void {
  describe(`a channel over ${name}`, () => {
    let host: ChannelHost
    let channel: Channel
    let client: TinyClient

    beforeEach(async () => {
      host = await start()
      channel = await host.open()
      client = createORPCClient(channel.link)
    })
    afterEach(() => host.stop())

    async function census(): Promise<Awaited<ReturnType<TinyClient['census']>>> {
      const other = await host.open()
      try {
        return await createORPCClient<TinyClient>(other.link).census()
      } finally {
        other.close()
      }
    }

    test('a call is answered, and many at once are told apart', async () => {
      const texts = Array.from({ length: 200 }, (_, index) => `text ${index} \u{1f4e1}`)
      const answers = await Promise.all(texts.map((text) => client.echo({ text })))
      expect(answers.map(({ text }) => text)).toEqual(texts)
    })

    test('a declared error arrives with its code and data', async () => {
      const { error, isDefined } = await safe(client.refuse({ port: 8787 }))
      expect(isDefined).toBe(true)
      expect(error).toMatchObject({ code: 'PORT_TAKEN', data: { port: 8787, hint: '' } })
    })

    test('an unexpected error says nothing of its reason or stack', async () => {
      const error: unknown = await client.explode().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ORPCError)
      expect(JSON.stringify(error)).not.toMatch(/secret reason|\.ts:/)
    })

    test('input of the wrong shape never reaches the handler', async () => {
      const error: unknown = await client
        .echo({ text: 5 as unknown as string })
        .catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'INVALID_INPUT' })
    })

    test('a stream delivers in order and ends on the server when its reader returns', async () => {
      const seen: number[] = []
      for await (const { n } of await client.count()) {
        seen.push(n)
        if (n === 50) break
      }
      expect(seen).toEqual(Array.from({ length: 51 }, (_, index) => index))
      await expect.poll(census).toMatchObject({ streams: 0 })
    })

    test('an abort rejects the call at once and reaches the handler', async () => {
      const controller = new AbortController()
      const call = client.hang(undefined, { signal: controller.signal })
      await expect.poll(census).toMatchObject({ hanging: 1 })
      controller.abort(new Error('not needed any more'))
      await expect(call).rejects.toThrow()
      await expect.poll(census).toMatchObject({ hanging: 0, aborted: 1 })
    })

    test('closing rejects what waits and stops every stream on the server', async () => {
      const waiting = client.hang()
      const streams = await Promise.all([client.count(), client.count(), client.count()])
      await Promise.all(streams.map((stream) => stream.next()))
      await expect.poll(census).toMatchObject({ streams: 3, hanging: 1 })
      channel.close()
      await expect(waiting).rejects.toThrow()
      await expect.poll(census).toMatchObject({ streams: 0, hanging: 0, aborted: 1 })
    })

    test('frames that are none are ignored, and the channel and its neighbours live on', async () => {
      const neighbour = createORPCClient<TinyClient>((await host.open()).link)
      for (const frame of junkFrames) channel.sendRaw(frame)
      expect(await client.echo({ text: 'still here' })).toEqual({ text: 'still here' })
      expect(await neighbour.echo({ text: 'me too' })).toEqual({ text: 'me too' })
    })

    test('names that every object has are not procedures', async () => {
      const paths = [
        'constructor',
        '__proto__',
        'toString',
        'hasOwnProperty',
        '~orpc',
        'echo/handler',
        'echo/~orpc',
        '',
      ]
      const loose = channel.link as ClientLink<Record<string, unknown>>
      for (const path of paths) {
        await expect(loose.call(path.split('/'), { text: 'x' }, { context: {} })).rejects.toMatchObject({
          code: 'NOT_FOUND',
        })
      }
    })

    test('an answer of 8 MiB and a question of 512 KiB pass whole', async () => {
      const { text } = await client.blob({ sizeBytes: 8 * 1_048_576 })
      expect(text.length).toBe(8 * 1_048_576)
      const question = 'é'.repeat(256 * 1_024)
      expect((await client.echo({ text: question })).text === question).toBe(true)
    })
  })
}
