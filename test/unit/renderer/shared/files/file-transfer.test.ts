import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { DisconnectedError } from '../../../../../renderer/src/rpc/error-view.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'
import { fromBase64, toBase64 } from '../../../../../renderer/src/shared/files/file-transfer.ts'
import { createFileTransfer } from '../../../../../renderer/src/shared/files/file-transfer.ts'

/** A core that stores one file’s bytes, and can lose a call before or after it took effect. */
function createKeeper(pieceBytes = 1_000_000) {
  let bytes = Buffer.alloc(0)
  const lost: ('before' | 'after')[] = []
  const state = { discarded: 0, appended: 0 }
  const files = {
    begin: async () => ({ fileId: 'f-1' }),
    append: async ({ offset, base64 }: { offset: number; base64: string }) => {
      const how = base64 === '' ? undefined : lost.shift()
      if (how === 'before') throw new DisconnectedError('gone')
      if (offset !== bytes.length)
        throw new ORPCError('FILE_OUT_OF_STEP', { data: { received: bytes.length, offset }, status: 500 })
      state.appended++
      bytes = Buffer.concat([bytes, Buffer.from(base64, 'base64')])
      if (how === 'after') throw new DisconnectedError('gone')
      return { receivedBytes: bytes.length }
    },
    discard: async () => ((state.discarded += 1), {}),
    read: async ({ offset }: { offset: number }) => {
      if (lost.shift()) throw new DisconnectedError('gone')
      const piece = bytes.subarray(offset, offset + pieceBytes)
      return {
        name: 'kept.csv',
        sizeBytes: bytes.length,
        base64: piece.toString('base64'),
        endOfFile: offset + piece.length >= bytes.length,
      }
    },
  }
  return {
    client: { files } as unknown as Client,
    lost,
    state,
    bytes: () => bytes,
    put: (next: Buffer<ArrayBuffer>) => (bytes = next),
  }
}

const someBytes = (count: number) => Uint8Array.from({ length: count }, (_byte, at) => (at * 31 + at) & 0xff)

describe('an upload', () => {
  it('sends every byte in pieces the contract allows, and reports progress', async () => {
    const keeper = createKeeper()
    const content = someBytes(2_000_000)
    const seen: number[] = []
    const fileId = await createFileTransfer(keeper.client).upload(new File([content], 'a.csv'), {
      onProgress: ({ doneBytes }) => seen.push(doneBytes),
    })
    expect(fileId).toBe('f-1')
    expect(Buffer.compare(keeper.bytes(), Buffer.from(content))).toBe(0)
    expect(seen).toEqual([0, 786_432, 1_572_864, 2_000_000])
  })

  it('sends several pieces at once', async () => {
    const keeper = createKeeper()
    const { append } = keeper.client.files
    const second = Promise.withResolvers<undefined>()
    keeper.client.files.append = (async (input: Parameters<typeof append>[0]) => {
      const answer = await append(input)
      // The first answer waits for the second piece.
      if (input.offset > 0) second.resolve(undefined)
      await second.promise
      return answer
    }) as typeof append
    const content = someBytes(5_000_000)
    await createFileTransfer(keeper.client).upload(new File([content], 'a.csv'))
    expect(Buffer.compare(keeper.bytes(), Buffer.from(content))).toBe(0)
  })

  it('takes an empty file', async () => {
    const keeper = createKeeper()
    expect(await createFileTransfer(keeper.client).upload(new File([], 'empty.csv'))).toBe('f-1')
    expect(keeper.bytes()).toHaveLength(0)
  })

  it.each(['before', 'after'] as const)(
    'neither repeats nor loses bytes when the connection breaks %s a piece was taken',
    async (when) => {
      const keeper = createKeeper()
      const content = someBytes(5_000_000)
      keeper.lost.push(when)
      await createFileTransfer(keeper.client).upload(new File([content], 'a.csv'))
      expect(Buffer.compare(keeper.bytes(), Buffer.from(content))).toBe(0)
    },
  )

  it('ends when cancelled, and has the core discard the file', async () => {
    const keeper = createKeeper()
    const ending = new AbortController()
    const upload = createFileTransfer(keeper.client).upload(new File([someBytes(2_000_000)], 'a.csv'), {
      signal: ending.signal,
      onProgress: ({ doneBytes }) => doneBytes > 0 && ending.abort(),
    })
    await expect(upload).rejects.toMatchObject({ name: 'AbortError' })
    expect(keeper.state).toMatchObject({ discarded: 1 })
  })

  it('gives up at once when refused', async () => {
    const keeper = createKeeper()
    keeper.put(Buffer.from('already there'))
    const upload = createFileTransfer(keeper.client).upload(new File([someBytes(10)], 'a.csv'))
    await expect(upload).rejects.toMatchObject({ code: 'FILE_OUT_OF_STEP' })
    expect(keeper.state.discarded).toBe(1)
  })
})

describe('a download', () => {
  it('joins its pieces in order, even over a broken connection', async () => {
    const keeper = createKeeper(7)
    keeper.put(Buffer.from('name;phone\nAda;+44 20 7946 0000\n'))
    keeper.lost.push('before')
    const { name, content } = await createFileTransfer(keeper.client).take('f-1')
    expect(name).toBe('kept.csv')
    expect(await content.text()).toBe('name;phone\nAda;+44 20 7946 0000\n')
  })

  it('ends when the connection stays broken', async () => {
    const keeper = createKeeper()
    keeper.lost.push(...Array<'before'>(50).fill('before'))
    await expect(createFileTransfer(keeper.client).take('f-1')).rejects.toThrow('gone')
    expect(keeper.lost.length).toBeGreaterThan(40)
  })
})

it('encodes bytes as base64 and back', () => {
  const bytes = someBytes(100_003)
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
  expect(Buffer.compare(fromBase64(toBase64(bytes)), bytes)).toBe(0)
})
