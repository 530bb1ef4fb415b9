import { expect, test } from './fixtures.ts'

/** Electron has the method but not its type. */
interface Inspectable {
  getLastWebPreferences(): Electron.WebPreferences | null
}

declare global {
  interface Window {
    violations: string[]
  }
}

test('shows the connect page without violating its content policy', async ({ desktop }) => {
  const page = await desktop.window()
  await page.addInitScript(() => {
    window.violations = []
    document.addEventListener('securitypolicyviolation', (event) =>
      window.violations.push(
        `${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile} ${event.lineNumber}:${event.columnNumber}`,
      ),
    )
  })
  // The page would evaluate a wait function of the test, which the policy blocks.
  const loaded = page.waitForEvent('load')
  await desktop.main(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.reload())
  await loaded
  await expect(page.getByRole('button', { name: /open sandbox/i })).toBeVisible()
  expect(await page.evaluate(() => location.origin)).toBe(desktop.pageOrigin)
  expect(await page.evaluate(() => window.violations)).toEqual([])

  await page.evaluate(() => {
    // Bypasses `createElement`, which adds the nonce to the component library’s styles.
    const style = document.createElementNS('http://www.w3.org/1999/xhtml', 'style')
    style.textContent = 'a {}'
    document.head.append(style)
    new Image().src = 'https://example.org/x.png'
    void fetch('/').catch(() => {})
    const script = document.createElement('script')
    script.append('window.injected = true')
    document.head.append(script)
    try {
      document.head.insertAdjacentHTML('beforeend', '<b>text</b>')
    } catch {
      // Rejected by trusted types and recorded as a violation.
    }
  })
  await expect
    .poll(() => page.evaluate(() => window.violations.map((each) => each.split(' ')[0])))
    .toEqual(
      expect.arrayContaining(['connect-src', 'img-src', 'require-trusted-types-for', 'style-src-elem']),
    )
  expect(await page.evaluate(() => 'injected' in window)).toBe(false)
})

test('isolates every window, in its own session without a cache', async ({ desktop }) => {
  await desktop.window()
  const all = await desktop.main(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map(({ webContents }) => {
      const all = { ...(webContents as unknown as Inspectable).getLastWebPreferences()! }
      // Can’t be sent to the test.
      delete all.session
      return { ...all, preload: all.preload?.replaceAll('\\', '/').split('/').slice(-3).join('/') }
    }),
  )
  expect(all).toHaveLength(1)
  for (const each of all) {
    expect(each).toMatchObject({
      preload: 'out/preload/preload.cjs',
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      plugins: false,
      safeDialogs: true,
      spellcheck: false,
      disableBlinkFeatures: 'Auxclick',
    })
    expect(each.enableBlinkFeatures).toBeUndefined()
  }
  const facts = await desktop.main(({ app, BrowserWindow, session }) => {
    const [window] = BrowserWindow.getAllWindows()
    const own = window!.webContents.session
    window!.hide()
    app.emit('activate', {}, false)
    return {
      isOwn: own === session.fromPartition('persist:console'),
      isDefault: own === session.defaultSession,
      persistent: own.isPersistent(),
      isShownAgain: window!.isVisible(),
    }
  })
  expect(facts).toEqual({ isOwn: true, isDefault: false, persistent: true, isShownAgain: true })
})
