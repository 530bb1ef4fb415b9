import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { ref } from 'vue'
import { describeRecent } from '../../../../../renderer/src/features/overview/describe.ts'
import { recentColumns } from '../../../../../renderer/src/features/overview/recent-columns.ts'
import {
  chartBucketMs,
  chartSpanMs,
  useOverviewStore,
} from '../../../../../renderer/src/features/overview/overview.store.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const freshness = { asOf: '2026-01-05T09:00:00.000Z', source: 'live', error: null }

describe('the overview', () => {
  it('reads its parts at the start and lets one fail alone', async () => {
    const app = createRendererApp({
      overview: { get: () => ({ dashboard: null, freshness }) },
      events: {
        series: () => {
          throw new ORPCError('STORAGE_BUSY')
        },
        holes: () => ({ holes: [], recordedSince: null, asOf: freshness.asOf }),
      },
    })
    const store = app.run(useOverviewStore)
    const stop = store.start(ref(true))
    await turn()
    expect(store.dashboard.kind).toBe('ready')
    expect(store.freshness).toEqual(freshness)
    expect(store.series).toMatchObject({ kind: 'failed', error: { code: 'STORAGE_BUSY' } })
    expect(store.holes.kind).toBe('ready')
    stop()
  })

  it('asks nothing while nobody looks', async () => {
    const app = createRendererApp({})
    const visible = ref(false)
    const stop = app.run(useOverviewStore).start(visible)
    await turn()
    expect(app.calls).toEqual([])
    visible.value = true
    await turn()
    expect(app.calls.map(({ name }) => name).sort()).toEqual([
      'campaigns.guards',
      'events.holes',
      'events.series',
      'overview.get',
      'recovery.get',
    ])
    stop()
  })

  it('asks for whole buckets, so that bars stand still', async () => {
    const app = createRendererApp({})
    const stop = app.run(useOverviewStore).start(ref(true))
    await turn()
    stop()
    const input = app.calls.find(({ name }) => name === 'events.series')!.input as {
      from: string
      to: string
    }
    expect(Date.parse(input.to) % chartBucketMs).toBe(0)
    expect(Date.parse(input.to) - Date.parse(input.from)).toBe(chartSpanMs)
  })
})

describe('what the service and the gap ledger say', () => {
  it('shows a recent message by its telling plain values, of whatever shape it is', () => {
    const item = { id: 'm1', to: '+15550100', meta: { a: 1 }, status: 'delivered', parts: 2, note: null }
    expect(describeRecent(item)).toBe('to: +15550100 · status: delivered · id: m1 · parts: 2')
    expect(describeRecent('just text')).toBe('just text')
    expect(describeRecent(null)).toBe('null')
  })

  it('shows recent messages as columns only when every one has them', () => {
    const item = { id: 'm1', to: '+1', status: 'delivered', body: 'Hi' }
    expect(recentColumns([item])).toEqual([{ id: 'm1', to: '+1', status: 'delivered', body: 'Hi' }])
    expect(recentColumns([{ ...item, id: 7 }])).toMatchObject([{ id: '7' }])
    expect(recentColumns([{ ...item, id: null }])).toMatchObject([{ id: null }])
    expect(recentColumns([item, { to: '+2', status: 'failed' }])).toBeNull()
    expect(recentColumns([item, null])).toBeNull()
    expect(recentColumns([])).toBeNull()
  })
})
