import { expect, it } from 'vitest'
import { type Random, seededRandom } from '#electron/lib/random.ts'
import { dlr, sign, startListener } from '../../helpers/listener.ts'
import { rawConnection } from '../../helpers/raw-http.ts'
import { mo } from '../core/live/events/events-fixture.ts'

interface Request {
  body: Buffer
  signature: string
}

/** Requests sent one after another on a connection. */
const perConnection = 100

async function statusesOf(port: number, requests: readonly Request[]): Promise<number[]> {
  const connection = rawConnection(port)
  for (const { body, signature } of requests) {
    const head = `POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\nX-Webhook-Signature: ${signature}\r\n\r\n`
    connection.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
  }
  const answers = await connection.answers(requests.length)
  connection.destroy()
  return answers.map(({ status }) => status)
}

async function sendAll(port: number, requests: readonly Request[]): Promise<number[]> {
  const statuses: number[] = []
  for (let at = 0; at < requests.length; at += perConnection)
    statuses.push(...(await statusesOf(port, requests.slice(at, at + perConnection))))
  return statuses
}

/** Byte changes that an attacker without the secret or a faulty proxy could make. */
function changeBytes(bytes: Buffer, random: Random): Buffer {
  const at = Math.floor(random() * bytes.length)
  const text = bytes.toString('latin1')
  const [head, tail] = [text.slice(0, at), text.slice(at)]
  const other = text[Math.floor(random() * text.length)] ?? ' '
  const ways = [
    () => {
      const flipped = Buffer.from(bytes)
      flipped[at] = flipped[at]! ^ (1 << Math.floor(random() * 8))
      return flipped.toString('latin1')
    },
    () => head + tail.slice(1),
    () => head + other + tail,
    () => head + other + tail.slice(1),
    () => head,
    () => text + tail,
    () => head + tail[0]!.toUpperCase() + tail.slice(1),
    () => `${head} ${tail}`,
    () => `${head}\\u00${(tail.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}${tail.slice(1)}`,
    () => text.replaceAll('delivered', 'failed'),
    () => text.replace('+1415', '+1416'),
    () => text.replace(/\d/g, (digit) => (random() < 0.3 ? String((Number(digit) + 1) % 10) : digit)),
  ]
  return Buffer.from(ways[Math.floor(random() * ways.length)]!(), 'latin1')
}

/** Possible header values: no line ends and no outer spaces, which HTTP drops. */
const isSendable = (value: string) => !/[^\x20-\x7e]/.test(value) && value.trim() === value && value !== ''

function mutate(original: Request, random: Random): Request | null {
  const which = random()
  const body = which < 0.7 ? changeBytes(original.body, random) : original.body
  const signature =
    which >= 0.6
      ? changeBytes(Buffer.from(original.signature), random).toString('latin1')
      : original.signature
  if (!isSendable(signature)) return null
  return body.equals(original.body) && signature === original.signature ? null : { body, signature }
}

const signed = (body: Buffer | string): Request => ({
  body: Buffer.from(body),
  signature: sign(Buffer.from(body)),
})

it('accepts none of 4,000 deliveries changed at random, and valid ones before, between and after', async () => {
  const { port, rows, listener } = await startListener()
  const random = seededRandom(23)
  const mutated: Request[] = []
  for (let n = 0; mutated.length < 4_000; n++) {
    const original = signed(n % 3 === 0 ? JSON.stringify(mo(`m-${n}`, 'Wann öffnen Sie?')) : dlr(`m-${n}`))
    const one = mutate(original, random)
    if (one) mutated.push(one)
  }
  const passed: string[] = []
  for (let at = 0; at < mutated.length; at += 1_000) {
    const part = mutated.slice(at, at + 1_000)
    expect(await sendAll(port, [signed(dlr(`right-${at}`))])).toEqual([200])
    const statuses = await sendAll(port, part)
    expect(statuses).toHaveLength(part.length)
    statuses.forEach((status, index) => {
      if (status !== 401) passed.push(`${status}: ${JSON.stringify(part[index])}`)
    })
  }
  expect(await sendAll(port, [signed(dlr('right-after'))])).toEqual([200])
  expect(passed).toEqual([])
  expect(listener.stats()).toMatchObject({ accepted: 5, refusedTotal: 4_000, notStored: 0 })
  expect(rows()).toHaveLength(5)
})
