import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { readPosted, sealed, signed, type TeamHold, textOf } from '#electron/core/people/dnc/team-entries.ts'
import { eraseFromLog } from '#electron/core/live/team/erase-from-log.ts'
import { openTeamRequests } from '#electron/core/live/team/team-requests.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { teamPath, teamQuery } from '#electron/listener/team-protocol.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { openDocuments } from '#electron/relay/storage.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { startNatsCluster, whyNoNats } from '../../../../helpers/nats-cluster.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { runRelay, startRelayProcess } from '../../../../helpers/relay.ts'
import { openTeamConsole, teamKey as key, turn } from '../../../../helpers/team-console.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

/** `SWITCHBOARD_TEAM_STEPS=1000` runs it at full size; see test/README.md. */
const steps = Number(process.env['SWITCHBOARD_TEAM_STEPS'] ?? 100)
const isFull = steps > 100
const seed = Number(process.env['SWITCHBOARD_TEAM_SEED'] ?? 1)

type Options = Parameters<typeof openTeamConsole>[3]
function openConsole(name: string, relay: { url: string; token: string }, options?: Options) {
  const one = openTeamConsole(name, relay, tempFolder(), options)
  onTestFinished(one.stop)
  return one
}

/** Relays of one team, as a proxy in front of them shows them to consoles. */
interface Relays {
  name: string
  steps: number
  /** Steps from one fault to the next. */
  faultEvery: number
  open: () => Promise<{
    addToken: (name: string) => Promise<string>
    /** Of those that run. */
    urls: () => string[]
    /** Breaks something, after the last fault is mended. Gives whether entries are stored meanwhile. */
    fault: (random: () => number) => Promise<boolean>
    mend: () => Promise<void>
  }>
}

const embedded: Relays = {
  name: 'one relay',
  steps,
  faultEvery: 50,
  async open() {
    const args = ['--data-dir', tempFolder()]
    let relay = await startRelayProcess(args)
    onTestFinished(() => relay.host.kill('SIGKILL'))
    const url = `http://127.0.0.1:${relay.port}`
    return {
      addToken: (name) => addToken(openFolder(args[1]!), name, 'main', 1),
      urls: () => [url],
      async fault() {
        await relay.host.kill('SIGKILL')
        relay = await startRelayProcess(args, relay.port)
        return true
      },
      mend: () => Promise.resolve(),
    }
  },
}

/** Without news for this long, a console acts. */
const turnMs = 30_000
/** Longer than a node waits before it wants to lead. */
const cutOffMs = isFull ? 12_000 : 0

/** The first stores on its disk what NATS doesn't take. */
const clustered: Relays = {
  name: 'three relays in front of three NATS nodes',
  steps: isFull ? steps : 30,
  faultEvery: 25,
  async open() {
    const cluster = await startNatsCluster(3)
    onTestFinished(cluster.stop)
    const args = (at: number) => ['--store', cluster.url, ...(at === 0 ? ['--data-dir', spill] : [])]
    const spill = tempFolder()
    const relays = await Promise.all([0, 1, 2].map((at) => startRelayProcess(args(at))))
    const running = new Set(relays.keys())
    onTestFinished(async () => void (await Promise.all(relays.map(({ host }) => host.kill('SIGKILL')))))
    const { documents, close } = await openDocuments(
      {
        dataDir: null,
        store: { servers: cluster.urls, credentialsFile: null, tls: null, replicas: 3, spill: false },
      },
      systemClock,
      quietLog,
    )
    onTestFinished(close)
    let mend = () => Promise.resolve()
    let faults = 0
    async function killRelay(at: number): Promise<void> {
      running.delete(at)
      await relays[at]!.host.kill('SIGKILL')
    }
    async function startRelay(at: number): Promise<void> {
      relays[at] = await startRelayProcess(args(at), relays[at]!.port)
      running.add(at)
    }
    return {
      addToken: (name) => addToken(documents, name, 'main', Date.now()),
      urls: () => [...running].map((at) => `http://127.0.0.1:${relays[at]!.port}`),
      async fault(random) {
        const [node, relay] = [Math.floor(random() * 3), Math.floor(random() * 3)]
        const other = (node + 1) % 3
        switch (faults++ % 4) {
          case 0:
            await Promise.all([cluster.kill(node), killRelay(relay)])
            mend = async () => {
              cluster.start(node)
              await cluster.ready()
              await startRelay(relay)
            }
            return true
          case 1:
            cluster.signal(node, 'SIGSTOP')
            mend = () => Promise.resolve(void cluster.signal(node, 'SIGCONT'))
            return true
          case 2:
            await Promise.all([cluster.kill(node), killRelay(relay)])
            cluster.signal(other, 'SIGSTOP')
            await sleep(cutOffMs)
            cluster.signal(other, 'SIGCONT')
            cluster.start(node)
            await startRelay(relay)
            return false
          default:
            await Promise.all([0, 1, 2].map((at) => cluster.kill(at)))
            for (const at of [0, 1, 2]) cluster.start(at)
            return false
        }
      },
      async mend() {
        await mend()
        mend = () => Promise.resolve()
      },
    }
  },
}

const whyNot = whyNoNats()
if (whyNot !== null) console.log(`Skipped: the team with NATS, ${whyNot}.`)

it.for(whyNot === null ? [embedded, clustered] : [embedded])(
  'five consoles of $name agree after partitions and kills, and none that has synced contacts a number on hold',
  { timeout: 60_000 + steps * 2_000 },
  async ({ open, steps, faultEvery }) => {
    const random = seededRandom(seed)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
    const minutes = [0, 5, -5, 3, -2]
    const relays = await open()
    const consoles: ReturnType<typeof openConsole>[] = []
    const places = new Map<(typeof consoles)[number], { url: string }>()
    /** When each had read the log to its end, the last time and the time before. */
    const reads = new Map<(typeof consoles)[number], { last: number; before: number }>()
    for (const [at, offset] of minutes.entries()) {
      const place = { url: relays.urls()[0]!, token: await relays.addToken(`console-${at}`) }
      const read = { last: 0, before: 0 }
      const onRead = () => Object.assign(read, { last: performance.now(), before: read.last })
      const one = openConsole(`Console ${at}`, place, { offsetMs: offset * 60_000, onRead })
      places.set(one, place)
      reads.set(one, read)
      // From before joining.
      one.holds.add(14155550100 + at, `earlier ${at}`, one.nowMs())
      await one.join()
      consoles.push(one)
    }

    /** What happened, as people saw it: by its text, each hold's number, who had it, and when it was in the log. */
    const holds = new Map(
      consoles.map((one, at) => [
        `earlier ${at}`,
        { number: `+${14155550100 + at}`, by: new Set([one]), sharedMs: Infinity },
      ]),
    )
    const released = new Set<string>()
    const sends: { digits: number; by: string }[] = []
    const note = (text: string, number: number, by: (typeof consoles)[number]) => {
      const known = holds.get(text) ?? { number: `+${number}`, by: new Set(), sharedMs: Infinity }
      holds.set(text, { ...known, by: known.by.add(by) })
    }
    /** It would contact no number whose hold was in the log before `sinceMs`. */
    const expectHeld = (at: (typeof consoles)[number], sinceMs: number) => {
      const due = [...holds].filter(([text, { sharedMs }]) => sharedMs < sinceMs && !released.has(text))
      const active = new Set(at.held())
      expect(due.filter(([, { number }]) => !active.has(number))).toEqual([])
    }
    const toOther = (one: (typeof consoles)[number]) =>
      void Object.assign(places.get(one)!, { url: pick(relays.urls()) })
    async function sync(one: (typeof consoles)[number]) {
      toOther(one)
      const sinceMs = performance.now()
      await one.sync()
      for (const hold of holds.values())
        if (hold.by.has(one)) hold.sharedMs = Math.min(hold.sharedMs, performance.now())
      expectHeld(one, sinceMs)
    }

    for (let step = 0; step < steps; step++) {
      if (step % faultEvery === faultEvery - 1) {
        await relays.mend()
        const isStored = await relays.fault(random)
        // All see the same alert, and one acts. Once nothing was stored for 30 s, each does.
        const alertMs = performance.now()
        const actedMs: number[] = []
        for (const one of consoles) {
          toOther(one)
          one.service.start()
        }
        if (isStored) {
          const act = () => void actedMs.push(performance.now() - alertMs)
          await Promise.all(consoles.map(({ service }) => service.act(['post', `c-${step}`], act)))
          expect(actedMs.length).toBeGreaterThan(0)
          expect(actedMs.slice(1).filter((ms) => ms < turnMs)).toEqual([])
        }
      }
      const one = pick(consoles)
      expectHeld(one, reads.get(one)!.before)
      const number = 14155550100 + Math.floor(random() * 12)
      const act = random()
      if (act < 0.3) {
        one.holds.add(number, `by hand ${step}`, one.nowMs())
        note(`by hand ${step}`, number, one)
      } else if (act < 0.45) {
        // Some consoles read the same message.
        const text = `STOP ${step}`
        for (const reader of consoles.filter((other) => other === one || random() < 0.5)) {
          const message = { number: `+${number}`, content: text, receivedMs: reader.nowMs() }
          const of = { sign: 'keyword', messageId: `m-${step}`, others: [], ...message } as const
          const seq = step + 1
          reader.holds.takeOptOuts([{ seq, at: seq, firstSeq: seq, ...of }], reader.nowMs())
          note(text, number, reader)
        }
      } else if (act < 0.5) {
        one.holds.addImported([{ digits: number, evidence: `file ${step}`, isShared: false }], one.nowMs())
        note(`file ${step}`, number, one)
      } else if (act < 0.58) {
        // A note on an error code, and who handles a conversation.
        if (random() < 0.5)
          one.values.put('error-note', `${step % 3}`, random() < 0.2 ? null : `text ${step}`)
        else one.values.put('conversation', `${number}`, { state: 'done', upTo: `message-${step}` })
      } else if (act < 0.61) {
        const by = { author: one.name, atMs: one.nowMs() }
        const to: [number, null][] = [[number, null]]
        one.repository.share({ kind: 'sent', id: `s-${step}`, template: 't-1', channel: 'c-1', to, ...by })
        sends.push({ digits: number, by: one.name })
      } else if (act < 0.7) {
        const row = pick(one.active())
        if (!row) continue
        const others = row.others.map(({ id }) => id)
        one.holds.release(row.id, one.nowMs(), others)
        for (const { evidence } of [row, ...row.others]) released.add(evidence)
      } else if (act < 0.76) await one.service.stop()
      else if (act < 0.8) one.service.start()
      else if (act < 0.83) await one.kill()
      else await sync(one)
      one.changed()
      if (random() < 0.3) await turn()
    }
    await relays.mend()
    for (const one of [...consoles, ...consoles]) await sync(one)
    const due = [...holds].filter(([text]) => !released.has(text)).map(([, hold]) => hold.number)
    for (const one of consoles) expect(one.held()).toEqual([...new Set(due)].sort())
    const digits = Array.from({ length: 12 }, (_, at) => 14155550100 + at)
    for (const kind of ['error-note', 'conversation'] as const) {
      const valuesAt = (one: (typeof consoles)[number]) =>
        one.values.list(kind).map(({ key: of, versions }) => [of, ...versions.map(({ value }) => value)])
      for (const one of consoles) expect(valuesAt(one)).toEqual(valuesAt(consoles[0]!))
      expect(valuesAt(consoles[0]!).length).toBeGreaterThan(0)
    }
    for (const one of consoles)
      for (const to of digits) {
        const found = one.sends.to(to, { templateId: null, sinceMs: 0, limit: 10_000 })
        const expected = sends.filter((send) => send.digits === to && send.by !== one.name)
        expect(found.map(({ author }) => author).sort()).toEqual(expected.map(({ by }) => by).sort())
      }
    // Nothing is doubled: a message that all have read is one hold.
    for (const one of consoles)
      expect(
        one
          .active()
          .map(({ evidence }) => evidence)
          .sort(),
      ).toEqual([...holds.keys()].filter((text) => !released.has(text)).sort())
  },
)

/** A relay that answers with `entries`, and only notes what is posted. */
async function startFakeRelay() {
  const log = { relayId: 'first', entries: [] as string[], posted: [] as string[], postBytes: [] as number[] }
  const server = createServer((req, res) => {
    const asked = new URL(req.url!, 'http://relay').searchParams
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks)
      if (req.method === 'POST') {
        log.posted.push(...(JSON.parse(String(body)) as string[]))
        log.postBytes.push(body.length)
      }
      const { relayId, entries } = log
      const after = asked.get('relayId') === relayId ? Number(asked.get('after')) : 0
      const page = { relayId, after, upTo: entries.length, lastSeq: entries.length, here: [], mayPost: true }
      const answer = JSON.stringify({ ...page, entries: entries.slice(after) })
      // An idle relay waits.
      setTimeout(() => res.end(answer), asked.get('wait') === 'true' ? 20 : 0)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(log, { url: `http://127.0.0.1:${port}`, token: 't' })
}

it('posts earlier holds in pieces, and again after an error', async () => {
  const relay = await startFakeRelay()
  let errors = 2
  const ana = openConsole('Ana', relay, {
    beforeSharing() {
      if (errors-- > 0) throw new Error('The disk is full')
    },
  })
  const evidence = '"'.repeat(2_000)
  const numbers = Array.from({ length: 60 }, (_, at) => ({
    digits: 14155550100 + at,
    evidence,
    isShared: false,
  }))
  ana.holds.addImported(numbers, 1)
  await ana.join()
  while (relay.posted.length < numbers.length) await turn()
  expect(relay.postBytes.length).toBeGreaterThan(2)
  expect(Math.max(...relay.postBytes)).toBeLessThanOrEqual(128 * 1024)
  expect(new Set(relay.posted).size).toBe(numbers.length)
})

it('a relay restored from a backup gets back what it lacks, also after it grew past a console’s position', async () => {
  const [dataDir, backup] = [join(tempFolder(), 'relay'), join(tempFolder(), 'backup')]
  const first = await runRelay({ dataDir })
  const [ana, ben, cleo] = ['Ana', 'Ben', 'Cleo'].map((name) => openConsole(name, first))
  ana!.holds.add(14155550101, 'in the backup', 1)
  await ana!.join()
  await ana!.sync()
  await first.stop()
  cpSync(dataDir, backup, { recursive: true })
  const restart = () => runRelay({ dataDir, port: first.port }, first.token)
  const second = await restart()
  ana!.holds.add(14155550102, 'not in the backup', 1)
  await ana!.sync()
  await ben!.join()
  await ben!.sync()
  // Only Ben comes back of those who know it.
  await ana!.service.stop()
  await ben!.service.stop()
  await second.stop()
  rmSync(dataDir, { recursive: true })
  cpSync(backup, dataDir, { recursive: true })
  await restart()
  for (const at of [3, 4, 5]) cleo!.holds.add(14155550100 + at, 'by Cleo', 1)
  await cleo!.join()
  await cleo!.sync()
  expect(cleo!.held().length).toBe(4)
  for (const one of [ben!, cleo!]) await one.sync()
  for (const one of [ben!, cleo!]) expect(one.held().length).toBe(5)
  expect(cleo!.active().find(({ number }) => number === '+14155550102')).toMatchObject({
    author: 'Ana',
    verified: true,
  })
})

it('reads what a restored relay got before an entry that was posted again at the same position', async () => {
  const [dataDir, backup] = [join(tempFolder(), 'relay'), join(tempFolder(), 'backup')]
  const first = await runRelay({ dataDir })
  const open = (name: string) => openConsole(name, first)
  const [ana, ben, cleo] = [open('Ana'), open('Ben'), open('Cleo')]
  ana.holds.add(14155550101, 'in the backup', 1)
  await ana.join()
  await ana.sync()
  await ana.service.stop()
  await first.stop()
  cpSync(dataDir, backup, { recursive: true })
  const restart = () => runRelay({ dataDir, port: first.port }, first.token)
  const second = await restart()
  // Turns fill sequences 2 and 3: nobody posts them again.
  await ana.sync()
  await ana.service.act(['pause', 'c-1'], () => {})
  await ana.sync()
  ana.holds.add(14155550102, 'not in the backup', 1)
  await ana.sync()
  await ben.join()
  await ben.sync()
  await ben.service.stop()
  await ana.service.stop()
  const { seq } = ben.repository.team()!
  expect(seq).toBe(4)
  await second.stop()
  rmSync(dataDir, { recursive: true })
  cpSync(backup, dataDir, { recursive: true })
  await restart()
  for (const at of [3, 4]) cleo.holds.add(14155550100 + at, 'by Cleo', 1)
  await cleo.join()
  await cleo.sync()
  await cleo.service.stop()
  await ana.sync()
  await ana.service.stop()
  expect(ana.held()).toEqual([1, 2, 3, 4].map((at) => `+${14155550100 + at}`))
  await ben.sync()
  expect(ben.held()).toEqual(ana.held())
})

it('takes only what is its own from one team to another', async () => {
  const [first, second] = [await runRelay(), await runRelay()]
  const place = { url: first.url, token: first.token }
  const [ana, ben, cleo] = [openConsole('Ana', place), openConsole('Ben', first), openConsole('Cleo', second)]
  ana.holds.add(14155550101, 'by Ana', 1)
  ana.values.put('conversation-note', '14155550101', 'noted by Ana')
  ben.holds.add(14155550102, 'by Ben', 1)
  ben.values.put('conversation-note', '14155550102', 'noted by Ben')
  for (const one of [ben, ana]) await one.join()
  await ben.service.erased({ id: 'e-1', digits: 14155550103, isHeld: true })
  for (const one of [ben, ana]) await one.sync()
  expect(ana.held()).toEqual(['+14155550101', '+14155550102'])
  expect(ana.holds.active(14155550103, true)).not.toBeNull()
  cleo.holds.add(14155550104, 'by Cleo', 1)
  await cleo.join('c'.repeat(43))
  await cleo.sync()
  // Another relay alone doesn’t change the team.
  Object.assign(place, { url: second.url, token: second.token })
  await ana.service.stop()
  ana.service.start()
  while ((await ana.view()).state !== 'failed') await turn()
  expect((await ana.view()).problem).toEqual({ key: 'team.otherTeam' })
  await ana.service.leave()
  await ana.join('c'.repeat(43))
  for (const one of [ana, cleo]) await one.sync()
  expect(cleo.held()).toEqual(['+14155550101', '+14155550104'])
  expect(cleo.values.list('conversation-note')).toMatchObject([{ key: '14155550101', value: 'noted by Ana' }])
  const query = teamQuery({ inbox: 'main', after: 0, wait: false }).toString()
  const headers = { Authorization: `Bearer ${second.token}` }
  const page = await (await fetch(`${second.url}${teamPath}?${query}`, { headers })).text()
  expect(page).toContain('noted by Ana')
  expect(page).not.toMatch(/Ben|erase|1415555010[23]/)
  // On the way back, Ben isn’t asked to erase what he erased.
  await ben.service.leave()
  await ben.join()
  await ben.sync()
  expect((await ben.view()).erasures).toEqual([])
  // The first team’s stay here.
  expect(ana.held()).toEqual(['+14155550101', '+14155550102', '+14155550104'])
})

it('a console with another token is here once', async () => {
  const relay = await runRelay()
  const place = { url: relay.url, token: relay.token }
  const ana = openConsole('Ana', place)
  await ana.join()
  await ana.sync()
  place.token = await addToken(openFolder(relay.dataDir), 'ana-2', 'main', 1)
  await ana.sync()
  expect((await ana.view()).here).toMatchObject([{ name: 'Ana', isOwn: true }])
})

it('one of two consoles acts on an alert, and each does without the relay', async () => {
  const relay = await runRelay()
  const consoles = ['Ana', 'Ben'].map((name) => openConsole(name, relay))
  for (const one of consoles) await one.join()
  let acts = 0
  const actAll = () => Promise.all(consoles.map(({ service }) => service.act(['pause', 'c-1'], () => acts++)))
  const told = await actAll()
  expect(acts).toBe(1)
  expect(told.toSorted()).toEqual([expect.stringMatching(/Ana|Ben/), null])
  await relay.stop()
  for (const { service } of consoles) await service.leave()
  expect(await actAll()).toEqual([null, null])
})

it('keeps entries of a later version, gives them to a log that lost them, and reads again once it knows them', async () => {
  const relay = await startFakeRelay()
  const ana = openConsole('Ana', relay)
  const poll = '{"kind":"poll","id":"p-1","question":"Lunch?"}'
  relay.entries = [signed(poll, key), signed('{"kind":"poll"}', 'x'.repeat(43))]
  await ana.join()
  await ana.sync(false)
  expect(await ana.view()).toMatchObject({ skipped: 1, waiting: 0 })
  Object.assign(relay, { relayId: 'second', entries: [] })
  await ana.sync(false)
  while (relay.posted.length === 0) await turn()
  expect(relay.posted[0]).toContain(poll)
  await ana.service.stop()
  ana.repository.learn()
  expect(ana.repository.team()!.readMs).not.toBeNull()
  ana.repository.take({ kind: 'later', id: 'known-now' }, '{"kind":"value"}')
  ana.repository.learn()
  expect(ana.repository.team()).toMatchObject({ seq: 0, readMs: null })
  expect(ana.repository.countWaiting()).toBe(1)
})

it('an erased number leaves the relay’s log and disk, and nothing else of it does', async () => {
  const relay = await runRelay()
  const [ana, cleo] = [openConsole('Ana', relay), openConsole('Cleo', relay)]
  const [number, other] = [14155550101, 14155550102]
  const by = { author: 'Ben', atMs: ana.nowMs() }
  const to: [number, string][] = [number, other].map((digits) => [digits, `m-${digits % 10}`])
  const hold = { kind: 'hold', country: null, source: 'by-hand', ownOnly: false, ...by } as const
  const texts = [
    textOf({ ...hold, id: 'h-1', number: `+${number}`, evidence: 'Asked' }),
    textOf({ ...hold, id: 'h-2', number: `+${other}`, evidence: `Same person as +${number}` }),
    textOf({ kind: 'sent', id: 's-1', template: 't-1', channel: 'c-1', to, ...by }),
    textOf({ kind: 'value', id: 'v-1', of: 'number-note', key: `${number}`, value: 'x', clockMs: 1, ...by }),
  ]
  const asked = (query: object) =>
    `${relay.url}${teamPath}?${teamQuery({ inbox: 'main', after: 0, wait: false, ...query }).toString()}`
  const headers = { Authorization: `Bearer ${relay.token}` }
  const body = JSON.stringify(texts.map((text) => signed(text, key)))
  expect((await fetch(asked({}), { method: 'POST', headers, body })).status).toBe(200)
  await ana.join()
  await ana.sync()
  expect(ana.held()).toEqual([`+${number}`, `+${other}`])
  await ana.service.erased({ id: 'e-1', digits: number, isHeld: true })
  ana.changed()
  await expect.poll(() => ana.service.erasedBy('e-1')?.inLog, { timeout: 10_000 }).toBe(0)
  expect(await (await fetch(asked({}), { headers })).text()).not.toContain(String(number))
  for (const file of readdirSync(relay.dataDir, { recursive: true, encoding: 'utf8' }))
    if (/\.db/.test(file))
      expect(readFileSync(join(relay.dataDir, file)).includes(String(number))).toBe(false)
  await cleo.join()
  await cleo.sync()
  expect(cleo.active()).toMatchObject([{ number: `+${other}`, author: 'Ben', evidence: 'Same person as +0' }])
  expect(cleo.holds.active(number, true)).not.toBeNull()
  const sentTo = (digits: number) => cleo.sends.to(digits, { templateId: null, sinceMs: 0, limit: 9 })
  expect(sentTo(other)).toMatchObject([{ author: 'Ben', messageId: 'm-2' }])
  expect(sentTo(number)).toEqual([])
  // Ana's position is still right: she doesn't read from the start.
  expect(ana.repository.team()!.seq).toBeGreaterThan(0)
  await ana.sync()
  expect(await ana.view()).toMatchObject({ skipped: 0, waiting: 0 })

  // With a read-only token nobody is asked, and the relay keeps it.
  const token = await addToken(openFolder(relay.dataDir), 'dan', 'main', 1, true)
  const dan = openConsole('Dan', { url: relay.url, token })
  await dan.join()
  await dan.sync(false)
  await dan.service.erased({ id: 'e-2', digits: other, isHeld: false })
  expect(dan.service.erasedBy('e-2')).toBeNull()
})

it('an erasure leaves only what colleagues share later, also while one erases the same number', async () => {
  const relay = await runRelay()
  const where = { url: relay.url, token: relay.token, inbox: 'main' }
  const parts = { resolveProxies: () => Promise.resolve([null]), clock: systemClock, log: quietLog }
  const requests = await openTeamRequests(where, 0, parts)
  onTestFinished(requests.close)
  const { signal } = new AbortController()
  const note = { kind: 'value', of: 'number-note', value: 'x', clockMs: 1, author: 'Ben', atMs: 1 } as const
  const [number, other] = ['14155550101', '14155550102']
  const erase = { kind: 'erase', id: 'e-1', author: 'Ana', atMs: 1, isHeld: false } as const
  const texts = [
    ...[number, number, other].map((digits, at) => textOf({ ...note, id: `n-${at}`, key: digits })),
    textOf({ ...erase, number: sealed(Number(number), key) }),
    ...['Ana', 'Ben'].map((author) => textOf({ ...note, id: `later-${author}`, key: number, author })),
  ]
  await requests.post(
    texts.map((text) => signed(text, key)),
    signal,
  )
  const erasure = { id: 'e-1', digits: 14155550101, author: 'Ana' }
  let colleague: Promise<number> | undefined
  const late: typeof requests = {
    ...requests,
    async page(asked, signal) {
      const page = await requests.page(asked, signal)
      await (colleague ??= eraseFromLog(requests, erasure, key, signal))
      return page
    },
  }
  expect(await eraseFromLog(late, erasure, key, signal)).toBe(0)
  expect(await colleague).toBe(0)
  const { entries } = await requests.page({ after: 0, wait: false }, signal)
  expect(entries.map(Boolean)).toEqual([false, false, true, true, false, true])
})

it('a hostile relay can add holds that are shown as not verified, and can remove none', async () => {
  const relay = await startFakeRelay()
  const ana = openConsole('Ana', relay)
  ana.holds.add(14155550101, 'by Ana', 1)
  await ana.join()
  while (relay.posted.length === 0) await turn()
  const [own] = relay.posted
  const by = {
    author: 'Ben',
    atMs: 1,
    country: null,
    evidence: 'by Ben',
    source: 'by-hand',
    ownOnly: false,
  } as const
  const hold = (id: string, number: string) => textOf({ kind: 'hold', id, number, ...by })
  const release = (id: string) => textOf({ kind: 'release', hold: id, author: 'Ben', atMs: 1 })
  const { id } = readPosted(own!, key)!.entry as TeamHold
  const sent = textOf({
    ...{ kind: 'sent', id: 'sent', template: 't-1', channel: 'c-1', to: [[14155550107, null]] },
    ...{ author: 'Ben', atMs: ana.nowMs() },
  })

  // Invented: a release, a hold, one with the id of a real hold that comes later, and a changed number under a right proof.
  const real = signed(hold('real', '+14155550102'), key)
  relay.entries = [
    `forged.n.${release(id)}`,
    `forged.n.${hold('invented', '+14155550103')}`,
    `forged.n.${hold('real', '+14155550104')}`,
    real.replace('50102', '50105'),
    'nonsense',
    `forged.n.${sent}`,
    real,
  ]
  await ana.sync(false)
  const shown = () =>
    ana
      .active()
      .map(({ number, verified, author }) => [number, verified, author])
      .sort()
  const held = [
    ['+14155550101', true, null],
    ['+14155550102', true, 'Ben'],
    ['+14155550103', false, 'Ben'],
    ['+14155550104', false, 'Ben'],
    ['+14155550105', false, 'Ben'],
  ]
  expect(shown()).toEqual(held)
  expect(await ana.view()).toMatchObject({ unverified: 3, skipped: 3, waiting: 1 })
  const toldOf = () => ana.sends.to(14155550107, { templateId: null, sinceMs: 0, limit: 9 })
  expect(toldOf()).toEqual([])

  // Repeated, in another order, and numbered from the start.
  relay.relayId = 'second'
  relay.entries = [own!, ...relay.entries, real, own!].reverse()
  await ana.sync()
  expect(shown()).toEqual(held)
  expect(await ana.view()).toMatchObject({ waiting: 0 })

  // A colleague's release ends the hold that it names, also when it comes first.
  relay.entries = [...relay.entries, signed(release('real'), key), signed(release('later'), key)]
  relay.entries.push(signed(hold('later', '+14155550106'), key), signed(sent, key), signed(sent, key))
  await ana.sync()
  expect(shown()).toEqual(held.filter(([number]) => number !== '+14155550102'))
  expect(toldOf()).toMatchObject([{ author: 'Ben', messageId: null }])
})
