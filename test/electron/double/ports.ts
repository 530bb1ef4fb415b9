import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'

/** Electron's `MessagePortMain` over a port of Node: nothing arrives before `start`, and a close arrives after earlier messages. */
export class MessagePortMain extends EventEmitter {
  /** Given to the page by a transfer. */
  readonly end: MessagePort
  constructor(end: MessagePort) {
    super()
    this.end = end
    end.on('close', () => this.emit('close'))
  }
  postMessage(message: unknown): void {
    this.end.postMessage(message)
  }
  start(): void {
    this.end.on('message', (data) => this.emit('message', { data, ports: [] }))
  }
  close(): void {
    this.end.close()
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
