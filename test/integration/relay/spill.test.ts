import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '#electron/lib/clock.ts'
import { openSpill, type Outgoing } from '#electron/relay/nats/spill.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

const outgoing = (id: string): Outgoing => ({
  delivery: {
    receivedMs: 1,
    verdict: 'signed',
    secretId: 's',
    remote: '192.0.2.1',
    headersJson: '[["a","b"]]',
    body: Buffer.from(id),
  },
  id,
  numbering: 'first',
  afterSeq: 7,
  isSent: true,
})
type Forward = Parameters<typeof openSpill>[0]['forward']
const open = (folder: string, forward: Forward) =>
  openSpill({ folder, forward, clock: systemClock, log: quietLog })
const down: Forward = () => Promise.reject(new Error('down'))

/** A spill whose forwarding works, with the ids that it forwarded; `?` marks possibly stored ones. */
function openUp(folder: string) {
  const forwarded: string[] = []
  const spill = open(folder, (items, mayBeStored) => {
    expect(items[0]).toEqual({ ...outgoing(items[0]!.id), delivery: expect.anything() as unknown })
    forwarded.push(...items.map(({ id }) => (mayBeStored ? `${id}?` : id)))
    return Promise.resolve()
  })
  return { spill, forwarded }
}

/** A folder with three deliveries that were not forwarded. */
async function left(): Promise<string> {
  const folder = join(tempFolder(), 'spill')
  const spill = open(folder, down)
  for (const id of ['a', 'b', 'c']) await spill.add(outgoing(id))
  expect(spill.backlog()).toEqual({ deliveries: 3, lost: 0 })
  await spill.close()
  return folder
}

describe('the spill of a relay', () => {
  it('forwards in order what an earlier run left, as possibly stored, and once', async () => {
    const folder = await left()
    const { spill, forwarded } = openUp(folder)
    await expect.poll(spill.isActive).toBe(false)
    await spill.add(outgoing('d'))
    await expect.poll(spill.isActive).toBe(false)
    expect(forwarded).toEqual(['a?', 'b?', 'c?', 'd'])
    await spill.close()
    const again = open(folder, down)
    expect(again.isActive()).toBe(false)
    expect(again.backlog()).toEqual({ deliveries: 0, lost: 0 })
    await again.close()
  })

  it('forwards again as possibly stored what failed before', async () => {
    const forwarded: string[] = []
    const spill = open(join(tempFolder(), 'spill'), (items, mayBeStored) => {
      forwarded.push(...items.map(({ id }) => (mayBeStored ? `${id}?` : id)))
      return forwarded.length === 1 ? Promise.reject(new Error('down')) : Promise.resolve()
    })
    await spill.add(outgoing('a'))
    await expect.poll(spill.isActive).toBe(false)
    expect(forwarded).toEqual(['a', 'a?'])
    await spill.close()
  })

  it('counts what its disk lost, and stores again', async () => {
    const folder = await left()
    // The journal is gone; its witness remembers how many there were.
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `journal.db${suffix}`), { force: true })
    const { spill, forwarded } = openUp(folder)
    await expect.poll(spill.isActive).toBe(false)
    expect(spill.backlog()).toEqual({ deliveries: 0, lost: 3 })
    await spill.add(outgoing('d'))
    await expect.poll(spill.isActive).toBe(false)
    expect(forwarded).toEqual(['d'])
    await spill.close()
  })

  it('starts over when its whole journal was deleted', async () => {
    const folder = await left()
    const done = open(folder, () => Promise.resolve())
    await expect.poll(done.isActive).toBe(false)
    await done.close()
    for (const suffix of ['', '-wal', '-shm', '.witness'])
      rmSync(join(folder, `journal.db${suffix}`), { force: true })
    const { spill, forwarded } = openUp(folder)
    await spill.add(outgoing('d'))
    await expect.poll(() => forwarded).toEqual(['d'])
    await spill.close()
  })
})
