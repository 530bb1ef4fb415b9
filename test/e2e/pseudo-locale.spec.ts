import { join } from 'node:path'
import { findFaults, keepMessages } from '../helpers/layout-faults.ts'
import { marks, pseudoCatalogue } from '../helpers/pseudo-locale.ts'
import { visitEveryPlace } from './every-place.ts'
import { expect, rendererDir, test } from './scripted-console.ts'

test.use({ viewport: { width: 1024, height: 640 } })

test('every text is translated and fits when it is 40 % longer, and no controls overlap', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 40 })
  await page.addInitScript(keepMessages)
  await page.route(/\/assets\/[^/]*\.en-[^/]*\.js$/, async (route) => {
    const path = join(rendererDir, new URL(route.request().url()).pathname)
    await route.fulfill({ contentType: 'text/javascript', body: await pseudoCatalogue(path) })
  })
  const faults = new Map<string, string>()
  await visitEveryPlace(page, core.url, async (place) => {
    for (const fault of await page.evaluate(findFaults, marks))
      if (!faults.has(fault)) faults.set(fault, place)
  })
  expect([...faults].map(([fault, place]) => `${place}: ${fault}`)).toEqual([])
})
