import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventRow } from '#contract/live/events.ts'
import { deliverSigned } from '../../helpers/signed-delivery.ts'
import { dlrBody } from '../../helpers/deliver-events.ts'
import { startConsole } from '../../helpers/start-console.ts'
import { startFixtureService } from '../../helpers/fixture-service.ts'
import { eventsStored } from '../../helpers/wait-for.ts'

const secret = 'the-secret-of-the-unattended-console'

/** Posts signed reports until the listener stops answering. Returns the acknowledged message IDs. */
async function deliverUntilDead(url: string, prefix: string, onFirst: () => void): Promise<string[]> {
  const acknowledged: string[] = []
  const lane = async (name: string) => {
    for (let n = 0; ; n++) {
      const messageId = `${prefix}-${name}-${n}`
      const body = dlrBody(messageId, 'delivered', '+15550001111')
      try {
        if ((await deliverSigned(url, body, secret)) === 200) acknowledged.push(messageId)
        if (acknowledged.length === 50) onFirst()
      } catch {
        return
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, (_, index) => lane(String(index))))
  return acknowledged
}

test('loses no acknowledged event over repeated kill -9 under load', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-kill-'))
  const service = await startFixtureService()
  const env = {
    SWITCHBOARD_BASE_URL: service.baseUrl,
    SWITCHBOARD_API_KEY: 'key',
    SWITCHBOARD_WEBHOOK_SECRET: secret,
    SWITCHBOARD_LISTENER_PORT: '0',
  }
  const acknowledged: string[] = []
  try {
    for (let round = 0; round < 2; round++) {
      const console = await startConsole({ dataDir, env })
      acknowledged.push(
        ...(await deliverUntilDead(console.listenerUrl!, `r${round}`, () => void console.kill('SIGKILL'))),
      )
      await console.stop().catch(() => {})
    }
    const last = await startConsole({ dataDir, env })
    const kept = new Set<string>()
    await eventsStored(last.rpc, acknowledged.length)
    let cursor: number | null = null
    do {
      const page: { items: EventRow[]; nextCursor: number | null } = await last.rpc.events.search({
        filter: {},
        limit: 500,
        ...(cursor === null ? {} : { cursor }),
      })
      for (const { messageId } of page.items) {
        expect(kept.has(messageId!), `${messageId} is shown twice`).toBe(false)
        kept.add(messageId!)
      }
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(acknowledged.length).toBeGreaterThanOrEqual(100)
    expect(acknowledged.filter((messageId) => !kept.has(messageId))).toEqual([])
    await last.stop()
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
