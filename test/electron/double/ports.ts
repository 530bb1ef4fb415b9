import { DoubleEmitter, loud, MissingInDoubleError } from './loud.ts'

/** Receives what arrives at one end of a pipe. */
interface Receiver {
  message(data: unknown): void
  close(): void
}

const closing = Symbol('closing')

/** One end of a pipe, in Mojo’s order: everything waits for a receiver, and a close arrives after all earlier messages. */
export class PipeEnd {
  private other: PipeEnd | null = null
  private receiver: Receiver | null = null
  private inbox: unknown[] = []
  private isClosed = false

  static pair(): [PipeEnd, PipeEnd] {
    const [near, far] = [new PipeEnd(), new PipeEnd()]
    near.other = far
    far.other = near
    return [near, far]
  }

  /** Throws for what can’t be cloned. Messages to a closed end are dropped. */
  post(data: unknown): void {
    const copy = structuredClone(data)
    if (!this.isClosed) this.other!.arrive(copy)
  }

  receive(receiver: Receiver): void {
    this.receiver = receiver
    for (const _waiting of this.inbox) this.deliverNext()
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.inbox = []
    this.other!.arrive(closing)
  }

  private arrive(item: unknown): void {
    if (this.isClosed) return
    this.inbox.push(item)
    if (this.receiver) this.deliverNext()
  }

  /** Each message is its own task. */
  private deliverNext(): void {
    setImmediate(() => {
      if (this.isClosed || this.inbox.length === 0) return
      const item = this.inbox.shift()
      if (item === closing) this.receiver!.close()
      else this.receiver!.message(item)
    })
  }
}

/**
 * Electron's `MessagePortMain`, after its `message_port.cc`: nothing arrives before `start`; `close` fires here at once and at the far
 * end after all earlier messages; messages to a closed port are dropped.
 */
export class MessagePortMain extends DoubleEmitter {
  /** Null after a transfer. */
  private end: PipeEnd | null
  private isStarted = false
  private isClosed = false

  constructor(end: PipeEnd) {
    super('MessagePortMain', ['message', 'close'])
    this.end = end
  }

  postMessage(message: unknown, transfer: unknown[] = []): void {
    if (this.isClosed || this.end === null) return
    if (!transfer.every((each) => each instanceof MessagePortMain))
      throw new TypeError('Port at index 0 is not a valid port')
    if (transfer.length > 0)
      throw new MissingInDoubleError('The Electron double carries no ports over a port')
    this.end.post(message)
  }

  start(): void {
    if (this.isStarted || this.isClosed || this.end === null) return
    this.isStarted = true
    this.end.receive({
      message: (data) => this.emit('message', { data, ports: [] }),
      close: () => this.close(),
    })
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.end?.close()
    this.emit('close')
  }

  /** Transfers the port’s end; it can’t be used here afterwards. */
  give(): PipeEnd {
    const { end } = this
    if (end === null) throw new Error('Port at index 0 is already neutered.')
    this.end = null
    return end
  }
}

class MessageChannel {
  readonly port1: MessagePortMain
  readonly port2: MessagePortMain

  constructor() {
    const [near, far] = PipeEnd.pair()
    this.port1 = loud('MessagePortMain', new MessagePortMain(near))
    this.port2 = loud('MessagePortMain', new MessagePortMain(far))
  }
}

export const MessageChannelMain = loud('MessageChannelMain', MessageChannel)
