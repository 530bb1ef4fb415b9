import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { DoubleEmitter } from './loud.ts'

/** Electron's `MessagePortMain` over one of Node's ports, which bring V8's own structured clone. */
export class MessagePortMain extends DoubleEmitter {
  /** Null once it was transferred or closed. */
  inner: MessagePort | null
  private started = false

  constructor(inner: MessagePort) {
    super('MessagePortMain', ['message', 'close'])
    this.inner = inner
    inner.on('close', () => {
      // A transferred port is closed on this side only in Node's sense.
      if (this.inner === null) return
      this.inner = null
      this.emit('close')
    })
  }

  postMessage(message: unknown, transfer: MessagePortMain[] = []): void {
    if (transfer.length > 0) throw new Error('The Electron double carries no ports over a port')
    this.inner?.postMessage(message)
  }

  /** Messages wait until then, as in Electron. */
  start(): void {
    if (this.started) return
    this.started = true
    this.inner?.on('message', (data: unknown) => this.emit('message', { data, ports: [] }))
  }

  close(): void {
    this.inner?.close()
  }

  /** Hands the port over; it is of no use here any more. */
  give(): MessagePort {
    const { inner } = this
    if (inner === null) throw new Error('Port at index 0 is already neutered')
    this.inner = null
    return inner
  }
}

export class MessageChannelMain {
  readonly port1: MessagePortMain
  readonly port2: MessagePortMain

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.port1 = new MessagePortMain(port1)
    this.port2 = new MessagePortMain(port2)
  }
}
