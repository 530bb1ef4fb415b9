import { expect, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

test('gives the page one object with one function', async ({ desktop }) => {
  const page = await desktop.window()
  const seen = await page.evaluate(() => {
    const bridge = window.switchboard as unknown as Record<string, unknown>
    const property = Object.getOwnPropertyDescriptor(window, 'switchboard')!
    const names =
      'require module exports process Buffer global ipcRenderer electron setImmediate __dirname'.split(' ')
    return {
      members: Object.entries(bridge).map(([name, value]) => `${name}: ${typeof value}`),
      isFixed: Object.isFrozen(bridge) && !property.writable && !property.configurable,
      isPlain: Object.getPrototypeOf(bridge) === Object.prototype,
      answer: String((bridge['requestPort'] as () => unknown)()),
      node: names.filter((name) => name in window),
    }
  })
  expect(seen).toEqual({
    members: ['requestPort: function'],
    isFixed: true,
    isPlain: true,
    answer: 'undefined',
    node: [],
  })
})

test('gives a frame inside the page no preload', async ({ desktop }) => {
  const page = await desktop.window()
  const seen = await page.evaluate(() => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    const result = 'switchboard' in frame.contentWindow!
    frame.remove()
    return result
  })
  expect(seen).toBe(false)
})

test('survives any message of the page, however odd', async ({ desktop }) => {
  const page = await desktop.window()
  await page.getByRole('button', { name: /open sandbox/i }).waitFor()
  await putClientInto(page)
  const sent = await page.evaluate(async () => {
    let state = 7
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
    const pick = <T>(items: T[]) => items[Math.floor(random() * items.length)]!
    // Over the double, all that is not text arrives as null.
    const frame = () =>
      JSON.stringify({
        i: pick(['1', '-1', '', '9'.repeat(40), null, {}, []]),
        t: pick([0, 1, 2, 3, 4, 5, 99, 'x', null]),
        p: pick([
          null,
          [],
          'x',
          { u: pick(['/', '/status/watch', '/../..', '//evil', '\u0000']), b: { json: '[[x' } },
          { u: 'orpc:/campaigns/pause', b: { json: { id: '../1' } } },
          { e: 'message', d: {} },
        ]),
      })
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const values = [
      undefined,
      cyclic,
      'x'.repeat(1_000_000),
      '{"',
      '\u0000',
      '[]',
      new Uint8Array(10),
      10n,
      -0,
    ]
    const objects = [new Map([[{}, [new Date(NaN)]]]), new Error('odd'), /x/g, Object(1n), new Array(3)]
    const messages: (() => unknown)[] = [frame, frame, frame, () => pick(values), () => pick(objects)]
    let count = 0
    for (let round = 0; round < 4; round++) {
      const port = await window.openPort()
      port.start()
      for (let each = 0; each < 100; each++, count++) port.postMessage(pick(messages)())
    }
    const bridge = window.switchboard as unknown as { requestPort(...args: unknown[]): void }
    let waiting = 0
    const arrived = new Promise<void>((done) =>
      window.addEventListener('message', () => --waiting === 0 && done()),
    )
    for (let each = 0; each < 150; each++, count++) {
      try {
        bridge.requestPort(pick(messages)(), pick(objects))
        waiting++
      } catch {
        // A refusal on the way counts too.
      }
    }
    await arrived
    return count
  })
  expect(sent).toBeGreaterThanOrEqual(500)
  const about = await page.evaluate(async () => (await window.openRpc()).settings.about({}))
  expect(about.capabilities).toContain('window.native')
  await expect(page.getByRole('button', { name: /open sandbox/i })).toBeVisible()
  expect(desktop.stderr()).not.toContain('crashed')
})
