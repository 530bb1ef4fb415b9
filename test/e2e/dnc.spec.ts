import { expect, inputOf, test } from './scripted-console.ts'

test('shows the copy’s age, and removals as loud as additions', async ({ page, core }) => {
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
})
