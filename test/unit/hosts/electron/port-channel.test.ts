import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'

// Outside Electron the package is just a path to a binary.
const ipcMain = new EventEmitter()
/** Electron’s port, over a port of Node. */
class MainPort extends EventEmitter {
  readonly #port: MessagePort
  constructor(port: MessagePort) {
    super()
    this.#port = port
  }
  postMessage = (data: unknown) => this.#port.postMessage(data)
  close = () => this.#port.close()
  start() {
    this.#port.on('message', (data) => this.emit('message', { data }))
    this.#port.on('close', () => this.emit('close'))
  }
}
vi.mock('electron', () => ({
  ipcMain,
  MessageChannelMain: class {
    port1
    port2
    constructor() {
      const { port1, port2 } = new MessageChannel()
      this.port1 = port1
      this.port2 = new MainPort(port2)
    }
  },
}))
const { offerPorts } = await import('#electron/hosts/electron/port-channel.ts')

/** A window that asks for ports, with the far ends of those that it got and the core’s. */
function openWindow() {
  ipcMain.removeAllListeners()
  const cores: MessagePort[] = []
  const got: MessagePort[] = []
  const warned: string[] = []
  const connect = () => {
    const { port1: host, port2: core } = new MessageChannel()
    cores.push(core)
    return host
  }
  const log = { warn: (text: string) => warned.push(text) }
  offerPorts(connect, log as never)
  const sender = {}
  const frame = { parent: null, origin: 'app://console' }
  const ask = (changes: object | null = {}) => {
    const senderFrame = changes && {
      ...frame,
      ...changes,
      postMessage: (_channel: string, _message: null, [port]: [MessagePort]) => got.push(port),
    }
    ipcMain.emit('switchboard:request-port', { sender, senderFrame })
  }
  return { ask, got, cores, warned }
}
const arrival = (port: MessagePort) => new Promise((done) => port.once('message', done))
const end = (port: MessagePort) => new Promise((done) => port.once('close', done))

const foreign = [
  '',
  ...'https://console app://other app://console.evil app://console:1 null file:// devtools://devtools APP://console'.split(
    ' ',
  ),
]

test.each([null, { parent: {} }, ...foreign.map((origin) => ({ origin }))])(
  'refuses a port to a frame that is not the page, such as %o',
  (changes) => {
    const { ask, got, warned } = openWindow()
    ask(changes)
    expect([got.length, warned.length]).toEqual([0, 1])
  },
)

test('carries messages both ways, and the end of either side to the other', async () => {
  const { ask, got, cores } = openWindow()
  ask()
  got[0]!.postMessage('to the core')
  expect(await arrival(cores[0]!)).toBe('to the core')
  cores[0]!.postMessage('to the page')
  expect(await arrival(got[0]!)).toBe('to the page')
  cores[0]!.close()
  await end(got[0]!)
  ask()
  got[1]!.close()
  await end(cores[1]!)
})

test('closes the oldest port of a window that asks for a fifth', async () => {
  const { ask, got } = openWindow()
  for (let each = 0; each < 5; each++) ask()
  await end(got[0]!)
  got[4]!.close()
})
