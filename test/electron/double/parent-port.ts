/** Loaded into a utility process before its program: provides Electron’s `process.parentPort` instead of Node’s channel. */
import { EventEmitter } from 'node:events'

const send = process.send!.bind(process)
const port = Object.assign(new EventEmitter(), {
  postMessage(message: unknown): void {
    if (process.connected) send(message)
  },
})
process.on('message', (data) => port.emit('message', { data, ports: [] }))
process.on('disconnect', () => process.exit())
Object.assign(process, { parentPort: port, type: 'utility' })
// Node’s own channel is hidden, as in Electron.
Object.defineProperty(process, 'send', { value: undefined })
