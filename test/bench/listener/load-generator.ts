import { connect, type Socket } from 'node:net'
import { seededRandom } from '#electron/lib/random.ts'
import { type LoadOrder, type LoadReport, signatureHeaders } from './messages.ts'

/**
 * Sends prepared signed requests over keep-alive connections, one in flight each, and checks each answer. 80 % dlr, 20 % mo, every
 * message ID once.
 */
const requestCount = 240_000
const statuses = ['submitted', 'delivered', 'failed', 'expired']

function makeRequests(path: string): Buffer[] {
  const random = seededRandom(7)
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')
  const prefix = hex(20)
  return Array.from({ length: requestCount }, (_, index) => {
    const messageId = `${prefix.slice(0, 8)}-${prefix.slice(8, 12)}-4${prefix.slice(12, 15)}-a${prefix.slice(15, 18)}-${Math.floor(
      random() * 2 ** 24,
    )
      .toString(16)
      .padStart(6, '0')}${index.toString(16).padStart(6, '0')}`
    const number = `+1415${String(Math.floor(random() * 1e7)).padStart(7, '0')}`
    const body = JSON.stringify(
      random() < 0.8
        ? {
            event: 'dlr',
            message_id: messageId,
            status: statuses[Math.floor(random() * 4)],
            error_code: null,
            destination: number,
            delivered_at: '2026-01-05T09:00:00Z',
          }
        : {
            event: 'mo',
            message_id: messageId,
            source: number,
            destination: '+14155550100',
            content: 'Yes please, send me the details',
            received_at: '2026-01-05T09:00:00Z',
          },
    )
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nUser-Agent: bench\r\n` +
        signatureHeaders(scheme, body, messageId, Date.now()) +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  })
}

/** Status and length of the answer at the start of `data`, or null while it is incomplete. */
function parseAnswer(data: Buffer): { status: number; bytes: number } | null {
  const end = data.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = data.toString('latin1', 0, end)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  const bytes = end + 4 + length
  return data.length < bytes ? null : { status: Number(head.slice(9, 12)), bytes }
}

/** `node load-generator.ts svix` signs as Svix does. */
const scheme = process.argv[2] === 'svix' ? 'svix' : 'spec'
const requests = makeRequests('/webhooks')

/** Each server’s position in the list of requests. */
const nextOf = new Map<string, number>()

function run(order: LoadOrder): Promise<LoadReport> {
  const latencies: number[] = []
  let next = nextOf.get(order.name) ?? 0
  let acknowledged = 0
  let wrong = 0
  let measuring = false
  let stopping = false
  let open = order.connections
  let measuredFrom = 0
  let measuredTo = 0
  /** All answers of a server have one length, so most need no parsing. */
  let usualBytes = -1

  return new Promise((resolve) => {
    const finish = () => {
      nextOf.set(order.name, next)
      latencies.sort((a, b) => a - b)
      const at = (share: number) =>
        latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
      resolve({
        kind: 'report',
        answers: latencies.length,
        seconds: (measuredTo - measuredFrom) / 1_000,
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        maxMs: latencies.at(-1) ?? 0,
        acknowledged,
        wrong,
      })
    }
    const startConnection = () => {
      const socket: Socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true })
      let sentAt = 0
      let rest: Buffer | null = null
      let done = false
      const end = () => {
        if (done) return
        done = true
        socket.destroy()
        if (--open === 0) finish()
      }
      const send = () => {
        if (stopping) return end()
        sentAt = performance.now()
        socket.write(requests[next]!)
        next = next + 1 === requests.length ? 0 : next + 1
      }
      socket.on('connect', send)
      socket.on('data', (chunk: Buffer) => {
        const data = rest ? Buffer.concat([rest, chunk]) : chunk
        const isUsual =
          data.length === usualBytes && data[9] === 0x32 && data[10] === 0x30 && data[11] === 0x30
        if (!isUsual) {
          const answer = parseAnswer(data)
          if (!answer) {
            rest = data
            return
          }
          if (answer.status !== 200 || answer.bytes !== data.length) wrong++
          else usualBytes = answer.bytes
          if (answer.status === 200) acknowledged++
        } else acknowledged++
        rest = null
        if (measuring) latencies.push(performance.now() - sentAt)
        send()
      })
      const broken = () => {
        if (!done) wrong++
        end()
      }
      socket.on('error', broken)
      socket.on('close', broken)
    }
    for (let index = 0; index < order.connections; index++) startConnection()
    const startedAt = performance.now()
    const warmingUp = setInterval(() => {
      const warmMs = performance.now() - startedAt
      const isWarm = warmMs >= order.warmUpMs && acknowledged >= order.warmUpAnswers
      if (!isWarm && warmMs < order.warmUpAtMostMs) return
      clearInterval(warmingUp)
      measuring = true
      measuredFrom = performance.now()
      process.send!({ kind: 'measuring' })
      setTimeout(() => {
        measuring = false
        measuredTo = performance.now()
        stopping = true
      }, order.measureMs)
    }, 20)
  })
}

process.on('message', (order: LoadOrder) => {
  void run(order).then((report) => process.send!(report))
})
process.send!({ kind: 'ready', port: 0 })
