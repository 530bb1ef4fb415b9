import { connect, type Socket } from 'node:net'
import { signatureHeaders } from './messages.ts'

/** Results of requests sent on schedule, whether or not earlier ones were answered. */
export interface OpenLoadReport {
  acknowledged: number
  /** Answered with anything but 200, or not answered. */
  wrong: number
  /** From a request’s due time to its answer, milliseconds, in order of the answers. */
  tookMs: number[]
}

/** A connection idle for longer is not reused: the server may be about to close it. Below the listener’s limit, milliseconds. */
const idleMs = 2_500

let number = 0

function nextRequest(): Buffer {
  const id = `open-${process.pid}-${++number}`
  const body = JSON.stringify({
    event: 'dlr',
    message_id: id,
    status: 'delivered',
    error_code: null,
    destination: '+14155550123',
    delivered_at: '2026-01-05T09:00:00Z',
  })
  return Buffer.from(
    `POST /webhooks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
      signatureHeaders('spec', body, id, 0) +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  )
}

/**
 * Sends `count` requests over keep-alive connections, at `perSecond` or all at once. A request that finds no free connection waits, and
 * its wait counts.
 */
export function openLoad(order: {
  port: number
  connections: number
  count: number
  perSecond?: number
  /** Called with each acknowledgement and the count. */
  onAcknowledged?: (count: number) => void
}): Promise<OpenLoadReport> {
  const { port, count, perSecond } = order
  const report: OpenLoadReport = { acknowledged: 0, wrong: 0, tookMs: [] }
  /** The most recently used is last, each with the time since it is free. */
  const free: { socket: Socket; sinceMs: number }[] = []
  const due: number[] = []
  const dueOf = new Map<Socket, number>()
  const sockets = new Set<Socket>()
  let issued = 0

  return new Promise((resolve) => {
    const finish = () => {
      if (report.acknowledged + report.wrong < count) return
      clearInterval(ticking)
      for (const socket of sockets) socket.destroy()
      resolve(report)
    }
    const send = () => {
      while (free.length > 0 && due.length > 0) {
        const { socket } = free.pop()!
        dueOf.set(socket, due.shift()!)
        socket.write(nextRequest())
      }
    }
    const open = () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      sockets.add(socket)
      let text = ''
      const isFree = () => {
        free.push({ socket, sinceMs: performance.now() })
        send()
      }
      socket.on('connect', isFree)
      socket.on('data', (chunk) => {
        // What the server sends when it closes an idle connection is not an answer.
        if (!dueOf.has(socket)) return
        text += chunk.toString('latin1')
        const end = text.indexOf('\r\n\r\n')
        const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0)
        if (end < 0 || text.length < end + 4 + length) return
        report.tookMs.push(performance.now() - dueOf.get(socket)!)
        dueOf.delete(socket)
        if (text.startsWith('HTTP/1.1 200')) {
          report.acknowledged++
          order.onAcknowledged?.(report.acknowledged)
        } else report.wrong++
        text = ''
        isFree()
        finish()
      })
      const broken = () => {
        if (!sockets.delete(socket)) return
        // The server closes idle connections; another one replaces it.
        const at = free.findIndex((one) => one.socket === socket)
        if (at >= 0) free.splice(at, 1)
        if (report.acknowledged + report.wrong < count) open()
        if (dueOf.delete(socket)) report.wrong++
        finish()
      }
      socket.on('error', broken)
      socket.on('close', broken)
    }
    const startedAt = performance.now()
    for (let index = 0; index < order.connections; index++) open()
    const tick = () => {
      const now = performance.now()
      while (free[0] && now - free[0].sinceMs > idleMs) free.shift()!.socket.destroy()
      const bound = perSecond ? Math.min(count, ((now - startedAt) / 1_000) * perSecond) : count
      for (; issued < bound; issued++) due.push(perSecond ? startedAt + (issued / perSecond) * 1_000 : now)
      send()
    }
    const ticking = setInterval(tick, 2)
  })
}
