import { RPCLink } from '@orpc/client/message-port'
import { eventIterator } from '@orpc/contract'
import { implement, ORPCError } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { effectScope, shallowRef } from 'vue'
import * as z from 'zod'
import { overviewContract } from '#contract/views/overview.ts'
import { procedure } from '#contract/define.ts'
import { DisconnectedError } from '../../../../renderer/src/rpc/error-view.ts'
import { AccessDeniedError, createRpc, type Rpc, type Transport } from '../../../../renderer/src/rpc/rpc.ts'

const contract = { overview: overviewContract, counter: { watch: procedure.output(eventIterator(z.int())) } }

/** A core at the far end of a message channel, and connections that a test can cut. */
function createCore() {
  const os = implement(contract)
  const holds: (() => void)[] = []
  let next = 0
  let watching = 0
  let slow = false
  const handler = new RPCHandler({
    overview: {
      get: os.overview.get.handler(async () => {
        if (slow) await new Promise<void>((resolve) => holds.push(resolve))
        return { dashboard: null, freshness: null }
      }),
    },
    counter: {
      watch: os.counter.watch.handler(async function* ({ signal }) {
        watching++
        yield next++
        await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
        watching--
      }),
    },
  })
  const open: (() => void)[] = []
  return {
    makeSlow: () => (slow = true),
    calls: () => holds.length,
    watching: () => watching,
    cut: () => open.splice(0).forEach((close) => close()),
    connect(): Transport {
      const { port1, port2 } = new MessageChannel()
      handler.upgrade(port2)
      let isOpen = true
      const closed = new Promise<void>((resolve) => {
        port1.once('close', () => {
          isOpen = false
          resolve()
        })
      })
      open.push(() => port2.close())
      const link = new RPCLink({ port: port1 }) as unknown as Transport['link']
      port1.start()
      port2.start()
      return { link, isOpen: () => isOpen, closed, close: () => port1.close() }
    },
  }
}

const opened: Rpc[] = []
const noPause = { sleep: () => new Promise<void>((resolve) => setImmediate(resolve)), random: () => 0 }
function open(openTransport: () => Promise<Transport>, sleep: typeof noPause.sleep = noPause.sleep): Rpc {
  const rpc = createRpc({ openTransport, sleep, random: () => 0 })
  opened.push(rpc)
  return rpc
}
const until = async (isTrue: () => boolean) => {
  for (let turn = 0; turn < 500 && !isTrue(); turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(isTrue()).toBe(true)
}

afterEach(() => opened.splice(0).forEach((rpc) => rpc.close()))

describe('the connection to the core', () => {
  it('answers a call made before it was open', async () => {
    const core = createCore()
    let letIn = () => {}
    const ready = new Promise<void>((resolve) => (letIn = resolve))
    const rpc = open(
      async () => {
        await ready
        return core.connect()
      },
      // The time limit of a waiting call must not end before the connection opens.
      () => new Promise(() => {}),
    )
    const answer = rpc.client.overview.get()
    expect(rpc.state.value).toBe('connecting')
    letIn()
    expect(await answer).toEqual({ dashboard: null, freshness: null })
    expect(rpc.state.value).toBe('open')
  })

  it('names the connection that the window shows, and for a page always its own', async () => {
    const named: unknown[] = []
    const link: Transport['link'] = {
      call(_path, _input, { context }) {
        named.push(context.connectionId)
        return Promise.resolve({} as never)
      },
    }
    const rpc = open(async () => ({ link, isOpen: () => true, closed: new Promise(() => {}), close() {} }))
    const pageOfA = rpc.of('a')
    await rpc.client.overview.get()
    rpc.show('b')
    await rpc.client.overview.get()
    await pageOfA.client.overview.get()
    pageOfA.subscribe((client) => client.overview.get() as never, { onItem() {} })
    await until(() => named.length === 4)
    expect(named).toEqual([null, 'b', 'a', 'a'])
  })

  it('fails a sent call when it breaks, and does not send it again', async () => {
    const core = createCore()
    core.makeSlow()
    const rpc = open(async () => core.connect())
    const answer = rpc.client.overview.get()
    answer.catch(() => {})
    await until(() => core.calls() === 1)
    core.cut()
    await expect(answer).rejects.toBeInstanceOf(DisconnectedError)
    await until(() => rpc.state.value === 'open')
    expect(core.calls()).toBe(1)
  })

  it('reconnects automatically through refusals, and says so meanwhile', async () => {
    const core = createCore()
    let tries = 0
    const states: string[] = []
    const rpc = open(async () => {
      states.push(rpc?.state.value ?? 'connecting')
      tries++
      if (tries > 1 && tries < 4) throw new Error('refused')
      return core.connect()
    })
    await until(() => rpc.state.value === 'open')
    core.cut()
    await until(() => tries === 4 && rpc.state.value === 'open')
    expect(states.slice(1)).toEqual(['reconnecting', 'reconnecting', 'reconnecting'])
    await expect(rpc.client.overview.get()).resolves.toBeDefined()
  })

  it('gives up on a call when it stays broken too long', async () => {
    const rpc = open(() => Promise.reject(new Error('refused')))
    await expect(rpc.client.overview.get()).rejects.toBeInstanceOf(DisconnectedError)
  })

  it('stops reconnecting once the host refuses this window', async () => {
    let tries = 0
    const rpc = open(() => {
      tries++
      return Promise.reject(new AccessDeniedError())
    })
    await until(() => rpc.state.value === 'denied')
    await expect(rpc.client.overview.get()).rejects.toBeInstanceOf(DisconnectedError)
    expect(tries).toBe(1)
  })

  it('passes an error of the core unchanged', async () => {
    const failing: Transport = {
      link: { call: () => Promise.reject(new ORPCError('NO_CONNECTION')) },
      isOpen: () => false,
      closed: new Promise(() => {}),
      close() {},
    }
    const rpc = open(async () => failing)
    await expect(rpc.client.overview.get()).rejects.toMatchObject({ code: 'NO_CONNECTION' })
  })
})

type Counter = {
  counter: { watch(input: undefined, options: { signal: AbortSignal }): Promise<AsyncIterable<number>> }
}

describe('streams', () => {
  it('reopen after a break and continue', async () => {
    const core = createCore()
    const rpc = open(async () => core.connect())
    const seen: number[] = []
    const lost: string[] = []
    rpc.subscribe((client, signal) => (client as unknown as Counter).counter.watch(undefined, { signal }), {
      onItem: (item) => seen.push(item),
      onLost: (error) => lost.push(error.code),
    })
    await until(() => seen.length === 1)
    core.cut()
    await until(() => seen.length === 2)
    expect(seen).toEqual([0, 1])
    expect(lost).toEqual(['DISCONNECTED'])
  })

  it('end when stopped or with their component, and are not reopened', async () => {
    const core = createCore()
    const rpc = open(async () => core.connect())
    const ended: number[] = []
    const kept: number[] = []
    const read = (seen: number[]) =>
      rpc.subscribe((client, signal) => (client as unknown as Counter).counter.watch(undefined, { signal }), {
        onItem: (item) => seen.push(item),
      })
    const stop = read(ended)
    const component = effectScope()
    component.run(() => read(ended))
    await until(() => ended.length === 2)
    stop()
    component.stop()
    read(kept)
    await until(() => kept.length === 1)
    core.cut()
    await until(() => kept.length === 2)
    expect(ended).toHaveLength(2)
  })
})

it('closes the streams of a hidden window, and opens them again when you return', async () => {
  const core = createCore()
  const hidden = shallowRef(false)
  const rpc = createRpc({ openTransport: async () => core.connect(), ...noPause, hidden })
  opened.push(rpc)
  const seen: number[] = []
  const always: number[] = []
  let lost = 0
  const watchCounter = (client: Rpc['client'], signal: AbortSignal) =>
    (
      client as unknown as {
        counter: { watch: (_: undefined, options: { signal: AbortSignal }) => Promise<AsyncIterable<number>> }
      }
    ).counter.watch(undefined, { signal })
  rpc.subscribe(watchCounter, { onItem: (item) => seen.push(item), onLost: () => lost++ })
  await until(() => seen.length === 1)
  rpc.subscribe(watchCounter, { onItem: (item) => always.push(item), whileHidden: true })
  await until(() => always.length === 1)
  hidden.value = true
  await until(() => core.watching() === 1)
  hidden.value = false
  await until(() => core.watching() === 2)
  await until(() => seen.length === 2)
  expect({ seen, always, lost }).toEqual({ seen: [0, 2], always: [1], lost: 0 })
})
