import { expect, it } from 'vitest'
import { createDesktopService } from '#electron/core/connection/desktop/desktop.service.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'

it('moves no page for a notification clicked long ago', async () => {
  const clock = createFakeClock()
  const desktop = createDesktopService({
    active: () => null,
    all: () => [],
    troubled: () => [],
    settings: {} as never,
    repository: {} as never,
    openNote: async () => ({ path: '/campaigns', connectionId: 'c-1' }),
    clock,
  })
  const stopping = new AbortController()
  const seen: string[][] = []
  const reading = (async () => {
    for await (const { requests } of desktop.requests(stopping.signal))
      seen.push(requests.map((request) => (request.kind === 'page' ? request.path : request.kind)))
  })()
  await desktop.ask({ kind: 'note', key: 'alertRule/1' })
  await desktop.ask({ kind: 'shortcuts' })
  await clock.advance(119_000)
  expect(seen.at(-1)).toEqual(['/campaigns', 'shortcuts'])
  await clock.advance(2_000)
  expect(seen.at(-1)).toEqual(['shortcuts'])
  stopping.abort()
  await reading.catch(() => {})
})
