import { createHmac } from 'node:crypto'
import { type IncomingMessage, createServer } from 'node:http'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { entryUrl } from '../../electron/lib/entry-url.ts'
import type { SandboxThreadMessage } from '../../electron/sandbox/sandbox-thread.ts'
import type { BenchResult } from './bench-result.ts'

const connections = 32
const requestSpanMs = 4_000
const deliverySpanMs = 5_000
/** Above the target, so that the sandbox is asked for more than it must give. */
const deliveriesAsked = 2_000

function read(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => (text += chunk))
    response.on('end', () => resolve(text))
    response.on('error', reject)
  })
}

type Ready = Extract<SandboxThreadMessage, { kind: 'ready' }>

async function startThread(
  options: Record<string, unknown>,
): Promise<{ ready: Ready; stop(): Promise<void> }> {
  const worker = new Worker(entryUrl('sandbox-thread'), { workerData: options })
  const message = await new Promise<SandboxThreadMessage>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  if (message.kind === 'failed') throw new Error(message.message)
  return {
    ready: message,
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

/** Answered requests per second: signed-in GETs of one campaign and DNC checks, over kept-alive connections. */
async function requestsPerSecond(): Promise<number> {
  const { ready, stop } = await startThread({ rateLimitPerMinute: null, traffic: false })
  const token = await signIn(ready)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { Authorization: `Bearer ${token}` }
  const call = (path: string) =>
    new Promise<string>((resolve, reject) => {
      request(ready.baseUrl + path, { agent, headers }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`${path}: ${response.statusCode}`))
        resolve(read(response))
      })
        .on('error', reject)
        .end()
    })
  const { data } = JSON.parse(await call('/campaigns?per_page=1')) as { data: { id: string }[] }
  const paths = [`/campaigns/${data[0]!.id}`, '/dnc/check?phone_number=%2B4915112345678']
  let answered = 0
  const started = performance.now()
  const client = async () => {
    while (performance.now() - started < requestSpanMs) {
      await call(paths[answered % 2]!)
      answered++
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  const perSecond = (answered * 1_000) / (performance.now() - started)
  agent.destroy()
  await stop()
  return perSecond
}

/** Signed deliveries per second that reached a bare receiver in this thread and were right. */
async function deliveriesPerSecond(): Promise<{ perSecond: number; wrong: number }> {
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
  const { ready, stop } = await startThread({ ratePerSecond: deliveriesAsked })
  const token = await signIn(ready)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await fetch(`${ready.baseUrl}/webhooks`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ url, events: ['dlr', 'mo'], secret: 'bench' }),
  })
  // The first messages need some seconds to come to their second report.
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  const before = taken
  const started = performance.now()
  await new Promise((resolve) => setTimeout(resolve, deliverySpanMs))
  const perSecond = ((taken - before) * 1_000) / (performance.now() - started)
  await stop()
  receiver.closeAllConnections()
  receiver.close()
  return { perSecond, wrong }
}

/** What the sandbox can carry, so that it is never the narrow place of another benchmark. */
export async function run(): Promise<BenchResult> {
  const requests = await requestsPerSecond()
  const { perSecond, wrong } = await deliveriesPerSecond()
  return {
    name: 'The sandbox, in a thread of its own',
    lines: [
      `${Math.round(requests)} requests/s with ${connections} connections, rate limit off`,
      `${Math.round(perSecond)} signed deliveries/s of ${deliveriesAsked} asked for, ${wrong} with a wrong signature`,
    ],
    targets: [
      { name: 'requests per second', value: requests, wanted: { atLeast: 5_000 } },
      { name: 'webhook deliveries per second', value: perSecond, wanted: { atLeast: 1_000 } },
    ],
  }
}
