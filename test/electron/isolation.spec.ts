import { join } from 'node:path'
import { expect, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

test('gives the page one object with one function', async ({ desktop }) => {
  const page = await desktop.window()
  const seen = await page.evaluate(() => {
    const bridge = window.switchboard as unknown as Record<string, unknown>
    const property = Object.getOwnPropertyDescriptor(window, 'switchboard')!
    const names = [
      'require',
      'module',
      'exports',
      'process',
      'Buffer',
      'global',
      'ipcRenderer',
      'electron',
      'setImmediate',
      '__dirname',
    ]
    return {
      members: Object.entries(bridge).map(([name, value]) => `${name}: ${typeof value}`),
      frozen: Object.isFrozen(bridge),
      writable: property.writable,
      configurable: property.configurable,
      prototype: Object.getPrototypeOf(bridge) === Object.prototype,
      answer: String((bridge['requestPort'] as () => unknown)()),
      node: names.filter((name) => name in window),
    }
  })
  expect(seen).toEqual({
    members: ['requestPort: function'],
    frozen: true,
    writable: false,
    configurable: false,
    prototype: true,
    answer: 'undefined',
    node: [],
  })
})

test('gives a frame inside the page no preload', async ({ desktop }) => {
  const page = await desktop.window()
  const seen = await page.evaluate(() => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    const result = 'switchboard' in frame.contentWindow!
    frame.remove()
    return result
  })
  expect(seen).toBe(false)
})

test('ignores a request for a port from another frame, another origin or a removed frame', async ({
  desktop,
}) => {
  const page = await desktop.window()
  await page.evaluate(() =>
    document.body.append(Object.assign(document.createElement('iframe'), { id: 'inner' })),
  )
  const result = await desktop.main(async ({ BrowserWindow, ipcMain }) => {
    const sender = BrowserWindow.getAllWindows()[0]!.webContents
    let answered = 0
    const frame = (members: object) => ({
      parent: null,
      origin: 'app://console',
      postMessage: () => answered++,
      ...members,
    })
    const ask = (senderFrame: unknown) =>
      ipcMain.emit('switchboard:request-port', { sender, senderFrame, ports: [] })
    const refused = [
      null,
      frame({ parent: sender.mainFrame }),
      ...[
        'https://console',
        'app://other',
        'app://console.evil',
        'app://console:1',
        'null',
        '',
        'file://',
        'devtools://devtools',
        'APP://console',
      ].map((origin) => frame({ origin })),
    ]
    for (const each of refused) ask(each)
    for (let waited = 0; sender.mainFrame.frames.length === 0 && waited < 50; waited++)
      await new Promise((next) => setImmediate(next))
    const [inner] = sender.mainFrame.frames
    ask(inner)
    const whenRefused = answered
    ask(frame({}))
    return { hadInner: inner !== undefined && inner.parent !== null, whenRefused, whenTrusted: answered }
  })
  await page.evaluate(() => document.querySelector('#inner')!.remove())
  expect(result).toEqual({ hadInner: true, whenRefused: 0, whenTrusted: 1 })
})

test('survives any message of the page, however odd', async ({ startDesktop }) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  await page.getByRole('button', { name: /open sandbox/i }).waitFor()
  await putClientInto(page)
  const sent = await page.evaluate(async () => {
    let state = 7
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
    const pick = <T>(items: T[]) => items[Math.floor(random() * items.length)]!
    const deep = (depth: number): unknown =>
      depth === 0
        ? pick([null, 1, 'x', -0, NaN, 10n, new Date(NaN)])
        : pick([[deep(depth - 1)], { a: deep(depth - 1) }, new Map([[deep(0), deep(depth - 1)]])])
    const frame = () =>
      JSON.stringify({
        i: pick(['1', '-1', '', '9'.repeat(40), null, {}, []]),
        t: pick([0, 1, 2, 3, 4, 5, 99, 'x', null]),
        p: pick([
          null,
          {},
          [],
          'x',
          { u: pick(['/', '/status/watch', '/../..', '//evil', '\u0000']), b: { json: deep(3)?.toString() } },
          { u: 'orpc:/campaigns/pause', b: { json: { id: '../1' } } },
          { e: 'message', d: {} },
        ]),
      })
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const messages: (() => unknown)[] = [
      frame,
      frame,
      frame,
      () => deep(4),
      () => undefined,
      () => cyclic,
      () => 'x'.repeat(1_000_000),
      () => '{"',
      () => '\u0000',
      () => '[]',
      () => new Uint8Array(10),
      () => new Uint8Array(1_000).fill(255),
      () => new ArrayBuffer(3),
      () => new Float64Array([NaN]),
      () => new Error('odd'),
      () => /x/g,
      () => new Set([1]),
      () => Object(1n),
      () => ({ __proto__: null, then: 1 }),
      () => new Array(3),
    ]
    let count = 0
    for (let round = 0; round < 4; round++) {
      const port = await window.openPort()
      port.start()
      for (let each = 0; each < 100; each++, count++) port.postMessage(pick(messages)())
    }
    const bridge = window.switchboard as unknown as { requestPort(...args: unknown[]): void }
    for (let each = 0; each < 150; each++, count++) {
      try {
        bridge.requestPort(pick(messages)(), deep(2))
      } catch {
        // A refusal on the way counts too.
      }
    }
    return count
  })
  expect(sent).toBeGreaterThanOrEqual(500)
  const about = await page.evaluate(async () => (await window.openRpc()).settings.about({}))
  expect(about.capabilities).toContain('window.native')
  await expect(page.getByRole('button', { name: /open sandbox/i })).toBeVisible()
  expect(desktop.stderr()).not.toContain('crashed')
})

test.describe('in the smallest app', () => {
  const app = join(import.meta.dirname, 'probe/main.mjs')
  const report = (name: string) => `(${name})`

  test('a sandboxed preload can require only what Electron documents, and messages are cloned as documented', async ({
    startDesktop,
  }) => {
    const desktop = await startDesktop({ app })
    const page = await desktop.window()
    await expect.poll(() => desktop.main(() => 'probeAnswer' in globalThis)).toBe(true)
    const seen = await desktop.main(
      () => (globalThis as unknown as { probeReport: Record<string, unknown> }).probeReport,
    )
    expect(seen['modules'], report('modules')).toMatchObject({
      electron: 'object',
      events: 'function',
      timers: 'object',
      url: 'object',
      'node:events': 'function',
      'node:url': 'object',
    })
    const refused = Object.entries(seen['modules'] as Record<string, string>).filter(([, found]) =>
      found.startsWith('threw: module not found'),
    )
    expect(refused.map(([name]) => name)).toEqual([
      'fs',
      'node:fs',
      'child_process',
      'path',
      'net',
      'os',
      'crypto',
      'worker_threads',
      './other.cjs',
      'keytar',
    ])
    expect(seen['globals']).toEqual({
      require: 'function',
      process: 'object',
      sandboxed: 'true',
      mainModule: 'undefined',
      globalRequire: 'undefined',
      globalProcess: 'undefined',
      setImmediate: 'function',
    })
    expect(seen['unclonable']).toContain('could not be cloned')
    expect({ main: seen['fromMainFrame'], origin: seen['origin'] }).toEqual({
      main: true,
      origin: 'app://console',
    })
    const cloned = await desktop.main(() => {
      const { probeAnswer: answer } = globalThis as unknown as {
        probeAnswer: {
          date: Date
          map: Map<string, Set<number>>
          bytes: Uint8Array
          big: bigint
          zero: number
          cyclic: { self: unknown }
        }
      }
      return [
        answer.date.getTime() === 5,
        answer.map.get('k')!.has(1),
        answer.bytes[1] === 2,
        'none' in answer,
        answer.big === 10n,
        Object.is(answer.zero, -0),
        answer.cyclic.self === answer.cyclic,
      ]
    })
    expect(cloned).toEqual([true, true, true, true, true, true, true])

    const bridged = await page.evaluate(async () => {
      const { probe } = window as unknown as {
        probe: {
          number: number
          list: unknown[]
          instance: object
          echo(value: unknown): unknown
          fails(): void
          later(value: number): Promise<number>
        }
      }
      let message = ''
      try {
        probe.fails()
      } catch (error) {
        message = (error as Error).message
      }
      return {
        list: JSON.stringify(probe.list),
        frozen: Object.isFrozen(probe.list),
        kept: JSON.stringify(probe.instance),
        method: 'method' in probe.instance,
        echo: probe.echo({ a: [1] }),
        message,
        later: await probe.later(1),
      }
    })
    expect(bridged).toMatchObject({
      list: '["a",{"b":2}]',
      frozen: true,
      kept: '{"kept":1}',
      method: false,
      echo: { a: [1] },
      later: 2,
    })
    expect(bridged.message).toContain('from the preload')
  })
})
