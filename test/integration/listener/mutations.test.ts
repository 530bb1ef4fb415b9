import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Random, seededRandom } from '#electron/lib/random.ts'
import { dlr, sign, startListener } from '../../helpers/listener.ts'
import { openEvents } from '../../helpers/open-events.ts'
import { rawConnection } from '../../helpers/raw-http.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { dlr as report, mo } from '../core/live/events/events-fixture.ts'
import { oddBodies } from '../core/live/events/odd-bodies.ts'

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

describe('deliveries changed at random', () => {
  it('accepts none of 10,000, and valid ones before, between and after', async () => {
    const { port, rows, listener } = await startListener()
    const random = seededRandom(23)
    const mutated: Request[] = []
    for (let n = 0; mutated.length < 10_000; n++) {
      const original = signed(n % 3 === 0 ? JSON.stringify(mo(`m-${n}`, 'Wann öffnen Sie?')) : dlr(`m-${n}`))
      const one = mutate(original, random)
      if (one) mutated.push(one)
    }
    const passed: string[] = []
    for (let at = 0; at < mutated.length; at += 2_500) {
      const part = mutated.slice(at, at + 2_500)
      expect(await sendAll(port, [signed(dlr(`right-${at}`))])).toEqual([200])
      const statuses = await sendAll(port, part)
      expect(statuses).toHaveLength(part.length)
      statuses.forEach((status, index) => {
        if (status !== 401) passed.push(`${status}: ${JSON.stringify(part[index])}`)
      })
    }
    expect(await sendAll(port, [signed(dlr('right-after'))])).toEqual([200])
    expect(passed).toEqual([])
    expect(listener.stats()).toMatchObject({ accepted: 5, refusedTotal: 10_000, notStored: 0 })
    expect(rows()).toHaveLength(5)
  })
})

/** A value of any kind, as a changing service could send. */
function anyValue(random: Random, depth = 0): unknown {
  const kind = Math.floor(random() * (depth > 3 ? 8 : 10))
  const texts = [
    '',
    ' ',
    'delivered',
    '💬',
    '\u202etxt',
    '\0',
    '<img src=x onerror=alert(1)>',
    '=1+1',
    'é'.repeat(500),
  ]
  if (kind < 3) return texts[Math.floor(random() * texts.length)]
  if (kind < 5) return [0, -1, 1.5, 1e308, 2 ** 53, -0][Math.floor(random() * 6)]
  if (kind < 8) return [null, true, false][kind - 5]
  const fields = Array.from({ length: Math.floor(random() * 4) }, () => anyValue(random, depth + 1))
  return kind === 8 ? fields : Object.fromEntries(fields.map((field, index) => [`field${index}`, field]))
}

/** A spec event with fields missing, unknown or of other types. */
function oddEvent(random: Random, n: number): string {
  let event: Record<string, unknown> = random() < 0.5 ? report(`m-${n}`, 'delivered') : mo(`m-${n}`, 'hi')
  const names = Object.keys(event)
  for (let change = 0; change < 1 + random() * 3; change++) {
    const name = names[Math.floor(random() * names.length)]!
    if (random() < 0.3) event = Object.fromEntries(Object.entries(event).filter(([field]) => field !== name))
    else event[random() < 0.7 ? name : `new_${name}`] = anyValue(random)
  }
  return JSON.stringify(event)
}

describe('signed deliveries of odd content', () => {
  it('stores more than 1,000, each as an event, a duplicate or quarantined', async () => {
    const folder = tempFolder()
    const journalFile = join(folder, 'journal.db')
    const { port, listener } = await startListener({ journalFile })
    const random = seededRandom(5)
    const bodies = [
      // Without these, which the listener's limit covers in other tests.
      ...oddBodies.map(([, body]) => Buffer.from(body)).filter((body) => body.length <= 64 * 1024),
      ...Array.from({ length: 1_000 }, (_, n) => Buffer.from(oddEvent(random, n))),
      ...Array.from({ length: 150 }, () => Buffer.from(JSON.stringify(anyValue(random)) ?? 'null')),
      ...Array.from({ length: 150 }, () =>
        Buffer.from(Array.from({ length: 1 + Math.floor(random() * 400) }, () => Math.floor(random() * 256))),
      ),
    ]
    expect(bodies.length).toBeGreaterThan(1_300)
    const statuses = await sendAll(port, bodies.map(signed))
    expect(statuses).toEqual(Array(bodies.length).fill(200))
    expect(listener.stats()).toMatchObject({ accepted: bodies.length, refusedTotal: 0 })

    const { feature, reader, db, close } = openEvents(journalFile)
    await feature.projector.caughtUp()
    const counted = db
      .prepare<[], { kind: string; deliveries: number }>(
        'SELECT kind, sum(copies) AS deliveries FROM events GROUP BY kind ORDER BY kind',
      )
      .all()
    expect(counted.map(({ kind }) => kind)).toEqual(['dlr', 'mo', 'quarantined'])
    expect(counted.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(bodies.length)
    // Each can be read with its original bytes.
    for (let seq = 1; seq <= bodies.length; seq++)
      expect(reader.read(seq)?.body.equals(bodies[seq - 1]!)).toBe(true)
    await close()
  })
})
