import { createBroadcast } from '../helpers/scripted/broadcast.ts'
import { ordinaryDncCache } from '../helpers/scripted/dnc.ts'
import { expect, inputOf, inputsOf, test } from './scripted-console.ts'

test('shows the copy’s age, removals as loud as additions, and the list again after a failed sync', async ({
  page,
  core,
}) => {
  const cache = createBroadcast(ordinaryDncCache())
  core.change({ dnc: { watch: (_input, signal) => cache.watch(signal) } })
  await core.open('/dnc')
  await expect(page.getByRole('region', { name: 'Offline copy' })).toContainText('Synced 2 h ago')
  const added = page.getByRole('button', { name: '14 added' })
  const removed = page.getByRole('button', { name: '5 removed' })
  const lookOf = (button: typeof added) =>
    button.evaluate((element) => {
      const { color, backgroundColor, fontSize } = getComputedStyle(element)
      return { color, backgroundColor, fontSize }
    })
  expect(await lookOf(removed)).toEqual(await lookOf(added))
  await removed.click()
  await expect.poll(() => inputOf(core, 'dnc.list')).toMatchObject({ which: 'removed' })
  const before = inputsOf(core, 'dnc.list').length
  const sync = { taskId: null, state: 'failed' as const, pagesDone: 3, pagesTotal: 4, problem: null }
  cache.set({ ...cache.value(), entries: 285, sync })
  await expect.poll(() => inputsOf(core, 'dnc.list').length).toBe(before + 1)
  // The shell's banner says why it failed.
  const problem = { code: 'SERVICE_UNREACHABLE' as const, acted: 'no' as const, data: { host: 'api' } }
  cache.set({ ...cache.value(), sync: { ...sync, problem } })
  core.setStatus({ network: { reachable: false, lastAnswerAt: null, problem } })
  await page.mouse.move(0, 0)
  await expect(page.getByText('SERVICE_UNREACHABLE')).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Resume' })).toBeEnabled()

  cache.set({ ...cache.value(), entries: 285, sync: null, kept: 280 })
  const missing = page.getByText('280 entries are missing from the service’s DNC list, which has 5 now.')
  await expect(missing).toContainText('They still block until you confirm, or a sync lists them again.')
  await missing.getByRole('button', { name: 'Use the shorter list' }).click()
  const dialog = page.getByRole('dialog', { name: 'Use the shorter list?' })
  await expect(dialog).toContainText('280 entries no longer block. Their numbers may be contacted.')
  await dialog.getByRole('textbox').fill('Acme production')
  await dialog.getByRole('button', { name: 'Use the shorter list' }).click()
  await expect(missing).toBeHidden()
  expect(inputsOf(core, 'dnc.useShorterList')).toMatchObject([{ kept: 280, confirmName: 'Acme production' }])

  core.unplug()
  await expect(page.getByRole('region', { name: 'Offline copy' })).toContainText('Last known state.')
})
