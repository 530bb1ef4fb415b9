import { expect, test } from './fixtures.ts'

const traversals = [
  '../etc/passwd',
  '../../etc/passwd',
  '..%2fetc%2fpasswd',
  '..%2Fetc/passwd',
  '%2e%2e/etc/passwd',
  '%2e%2e%2fetc%2fpasswd',
  '%252e%252e%252fetc',
  '..%5cetc%5cpasswd',
  '..\\etc\\passwd',
  '%5c..%5c..%5cwindows',
  '....//etc/passwd',
  '....\\\\etc',
  '.%2e/etc/passwd',
  '%2e./etc/passwd',
  '/etc/passwd',
  '//etc/passwd',
  '///etc/passwd',
  '//evil.example/x',
  '/%2fetc/passwd',
  '%2f%2fetc%2fpasswd',
  '\\\\evil.example\\x',
  'file:///etc/passwd',
  'assets/../../package.json',
  'assets/..%2f..%2fpackage.json',
  'assets/%2e%2e/%2e%2e/main/main.js',
  '../main/main.js',
  '../preload/preload.cjs',
  '..%2fmain%2fmain.js',
  'package.json',
  'main/main.js',
  'preload.cjs',
  'node_modules/keytar/package.json',
  'index.html%00',
  'index.html%00.js',
  '%00',
  'index.html%20',
  'index.html.',
  'index.html/',
  'INDEX.HTML',
  'Index.html',
  'index.htm',
  'index',
  'index.html;x',
  'index%2ehtml',
  'in%64ex.html',
  'manifest.json',
  './manifest.json',
  'assets',
  'assets/',
  'assets/nothing.js',
  'assets//',
  '.env',
  '.git/config',
  '.vite/manifest.json',
  'C:/Windows/win.ini',
  'C:%5cWindows%5cwin.ini',
  '~/.ssh/id_rsa',
  '%7e/.ssh/id_rsa',
  '%c0%ae%c0%ae/etc/passwd',
  '%e0%80%ae%e0%80%ae/etc/passwd',
  '%u002e%u002e/etc',
  '..;/etc/passwd',
  '?/../etc/passwd/x.js'.slice(1),
  'owner.db',
  'console.db',
  'logs/main.log',
  'a'.repeat(10_000),
  '%',
  '%zz',
  '\u202e/etc',
]

test('finds nothing outside the build, however its address is written', async ({ desktop }) => {
  expect(traversals.length).toBeGreaterThanOrEqual(60)
  await desktop.window()
  const answers = await desktop.main(async ({ session }, paths) => {
    const own = session.fromPartition('persist:console')
    const found: [string, number, number][] = []
    for (const path of paths) {
      const response = await own.fetch(`app://console/${path}`)
      found.push([path, response.status, (await response.arrayBuffer()).byteLength])
    }
    return found
  }, traversals)
  expect(answers.filter(([, status, size]) => status !== 404 || size !== 0)).toEqual([])
})

test('serves nothing on another host of the scheme, and refuses other methods than GET', async ({
  desktop,
}) => {
  await desktop.window()
  const answers = await desktop.main(async ({ session }) => {
    const own = session.fromPartition('persist:console')
    const ask = (url: string, method = 'GET') =>
      own.fetch(url, { method }).then(
        ({ status }) => status,
        () => 'refused',
      )
    return {
      page: await ask('app://console/'),
      other: await ask('app://other/'),
      below: await ask('app://console.evil/index.html'),
      post: await ask('app://console/', 'POST'),
      put: await ask('app://console/index.html', 'PUT'),
      remove: await ask('app://console/', 'DELETE'),
    }
  })
  expect(answers.page).toBe(200)
  for (const name of ['other', 'below'] as const) expect([404, 'refused']).toContain(answers[name])
  expect([answers.post, answers.put, answers.remove]).toEqual([405, 405, 405])
})

test('sends the page with its policy and without caching', async ({ desktop }) => {
  await desktop.window()
  const [first, second] = await desktop.main(async ({ session }) => {
    const own = session.fromPartition('persist:console')
    const headers = async () => Object.fromEntries((await own.fetch('app://console/')).headers)
    return [await headers(), await headers()]
  })
  expect(first).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  const policy = first!['content-security-policy']!
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'none'",
    "worker-src 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ]) {
    expect(policy.split('; ')).toContain(part)
  }
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/)
  expect(second!['content-security-policy'], 'a nonce per load').not.toBe(policy)
})

test('cancels a request that leaves the console before it is made', async ({ desktop }) => {
  await desktop.window()
  const answers = await desktop.main(async ({ session }) => {
    const own = session.fromPartition('persist:console')
    const urls = [
      'https://example.org/',
      'http://127.0.0.1:1/',
      'http://localhost:1/x',
      'file:///etc/passwd',
      'data:text/plain,x',
      'app://other/',
      'unknown://x/',
    ]
    const found: Record<string, string> = {}
    for (const url of urls) {
      found[url] = await own.fetch(url).then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      )
    }
    return found
  })
  for (const url of ['https://example.org/', 'http://127.0.0.1:1/', 'http://localhost:1/x']) {
    expect(answers[url]).toContain('ERR_BLOCKED_BY_CLIENT')
  }
  for (const [url, answer] of Object.entries(answers)) expect(answer, url).not.toMatch(/^[23]/)
})

test('lets the page write the clipboard and denies everything else', async ({ desktop }) => {
  const page = await desktop.window()
  // A Chromium outside Electron shows a picker and waits.
  const states = await page.evaluate(async (asksForScreen) => {
    const names = [
      'geolocation',
      'notifications',
      'camera',
      'microphone',
      'clipboard-read',
      'clipboard-write',
      'midi',
      'persistent-storage',
      'idle-detection',
      'window-management',
    ]
    const found: Record<string, string> = {}
    for (const name of names)
      found[name] = (await navigator.permissions.query({ name: name as PermissionName })).state
    const attempt = (run: () => Promise<unknown>) =>
      run().then(
        () => 'allowed',
        (error: Error) => error.name,
      )
    found['asking for the camera'] = await attempt(() => navigator.mediaDevices.getUserMedia({ video: true }))
    if (asksForScreen)
      found['asking for the screen'] = await attempt(() => navigator.mediaDevices.getDisplayMedia())
    found['asking to notify'] = await Notification.requestPermission()
    found['asking for the place'] = await new Promise<string>((done) => {
      navigator.geolocation.getCurrentPosition(
        () => done('allowed'),
        ({ code }) => done(code === GeolocationPositionError.PERMISSION_DENIED ? 'denied' : 'unavailable'),
      )
    })
    return found
  }, desktop.kind === 'real')
  expect(
    Object.entries(states).filter(([name, state]) => state === 'granted' && name !== 'clipboard-write'),
  ).toEqual([])
  expect(states['clipboard-write']).toBe('granted')
  expect(states['asking for the camera']).not.toBe('allowed')
  expect(states['asking for the screen']).not.toBe('allowed')
  expect(states['asking to notify']).toBe('denied')
  expect(states['asking for the place']).toBe('denied')
})
