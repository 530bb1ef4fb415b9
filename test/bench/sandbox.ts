import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { entryUrl } from '../../electron/lib/entry-url.ts'
import type { SandboxThreadMessage } from '../../electron/sandbox/sandbox-thread.ts'
import type { BenchResult } from './bench-result.ts'

const connections = 32
const requestSpanMs = 4_000
const deliverySpanMs = 5_000
/** Above the target, so that the sandbox can exceed it. */
const deliveriesAsked = 2_000

type Ready = Extract<SandboxThreadMessage, { kind: 'ready' }>

interface Thread {
  ready: Ready
  /** Processor time the sandbox used since its start, in milliseconds. */
  usedMs(): Promise<number>
  stop(): Promise<void>
}

async function startThread(options: Record<string, unknown>): Promise<Thread> {
  const worker = new Worker(entryUrl('sandbox-thread'), { workerData: options })
  const message = await new Promise<SandboxThreadMessage>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  if (message.kind === 'failed') throw new Error(message.message)
  return {
    ready: message,
    async usedMs() {
      const { user, system } = await worker.cpuUsage()
      return (user + system) / 1_000
    },
    async stop() {
      worker.postMessage({ kind: 'stop' })
      await new Promise((resolve) => worker.once('exit', resolve))
    },
  }
}

async function signIn({ baseUrl, username, password }: Ready): Promise<string> {
  const response = await fetch(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Work done in a period, by the clock and by the sandbox’s processor time. */
interface Rate {
  perSecond: number
  perCpuSecond: number
}

async function measure(thread: Thread, spanMs: number, count: () => number): Promise<Rate> {
  const before = count()
  const usedBefore = await thread.usedMs()
  const started = performance.now()
  await new Promise((resolve) => setTimeout(resolve, spanMs))
  const done = count() - before
  const spentMs = performance.now() - started
  const usedMs = (await thread.usedMs()) - usedBefore
  return { perSecond: (done * 1_000) / spentMs, perCpuSecond: (done * 1_000) / usedMs }
}

/**
 * Signed-in GETs of one campaign and DNC checks, each connection repeating once answered. Bare sockets, so that the client is not
 * measured.
 */
async function requestRate(): Promise<Rate> {
  const thread = await startThread({ rateLimitPerMinute: null, traffic: false })
  const { baseUrl } = thread.ready
  const headers = { Authorization: `Bearer ${await signIn(thread.ready)}` }
  const list = await fetch(`${baseUrl}/campaigns?per_page=1`, { headers })
  const { data } = (await list.json()) as { data: { id: string }[] }
  const requests = [`/v1/campaigns/${data[0]!.id}`, '/v1/dnc/check?phone_number=%2B4915112345678'].map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: ${headers.Authorization}\r\n\r\n`,
  )
  let answered = 0
  let refused = 0
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => socket.write(requests[0]!))
    socket.setNoDelay()
    socket.on('data', (answer: Buffer) => {
      if (answer.toString('latin1', 0, 12) === 'HTTP/1.1 200') answered++
      else refused++
      socket.write(requests[answered % 2]!)
    })
    return socket
  })
  const rate = await measure(thread, requestSpanMs, () => answered)
  for (const socket of sockets) socket.destroy()
  await thread.stop()
  if (refused > 0) throw new Error(`${refused} answers were not 200`)
  return rate
}

/** Correctly signed deliveries per second at a bare receiver in this thread. */
async function deliveryRate(): Promise<Rate & { wrong: number }> {
  let taken = 0
  let wrong = 0
  const receiver = createServer((req, res) => {
    const hash = createHmac('sha256', 'bench')
    req.on('data', (chunk: Buffer) => hash.update(chunk))
    req.on('end', () => {
      if (hash.digest('hex') === req.headers['x-webhook-signature']) taken++
      else wrong++
      res.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const thread = await startThread({ ratePerSecond: deliveriesAsked })
  const { ready } = thread
  const token = await signIn(ready)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await fetch(`${ready.baseUrl}/webhooks`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ url, events: ['dlr', 'mo'], secret: 'bench' }),
  })
  // The first messages take some seconds to their second report.
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  const rate = await measure(thread, deliverySpanMs, () => taken)
  await thread.stop()
  receiver.closeAllConnections()
  receiver.close()
  return { ...rate, wrong }
}

/** The sandbox’s capacity, so that it is never the bottleneck of another benchmark. */
export async function run(): Promise<BenchResult> {
  const requests = await requestRate()
  const deliveries = await deliveryRate()
  const whole = (value: number) => String(Math.round(value))
  return {
    name: 'The sandbox in its own thread',
    lines: [
      `${whole(requests.perSecond)} requests/s with ${connections} connections, rate limit off (${whole(requests.perCpuSecond)} per second of its processor time)`,
      `${whole(deliveries.perSecond)} signed deliveries/s of ${deliveriesAsked} requested (${whole(deliveries.perCpuSecond)} per second of its processor time), ${deliveries.wrong} with a wrong signature`,
    ],
    targets: [
      { name: 'requests per second', value: requests.perSecond, bound: { atLeast: 5_000 } },
      { name: 'webhook deliveries per second', value: deliveries.perSecond, bound: { atLeast: 1_000 } },
    ],
  }
}
