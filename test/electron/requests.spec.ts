import { expect, test } from './fixtures.ts'

const traversals = String.raw`
  ../etc/passwd ../../etc/passwd ..%2fetc%2fpasswd ..%2Fetc/passwd %2e%2e/etc/passwd %2e%2e%2fetc%2fpasswd %252e%252e%252fetc
  ..%5cetc%5cpasswd ..\etc\passwd ..\\etc\\passwd %5c..%5c..%5cwindows ....//etc/passwd ....\\\\etc .%2e/etc/passwd %2e./etc/passwd
  /etc/passwd //etc/passwd ///etc/passwd //evil.example/x /%2fetc/passwd %2f%2fetc%2fpasswd \\evil.example\x file:///etc/passwd
  assets/../../package.json assets/..%2f..%2fpackage.json assets/%2e%2e/%2e%2e/main/main.js ../main/main.js ../preload/preload.cjs
  ..%2fmain%2fmain.js package.json main/main.js preload.cjs node_modules/keytar/package.json index.html%00 index.html%00.js %00
  index.html%20 index.html. index.html/ INDEX.HTML Index.html index.htm index index.html;x index%2ehtml in%64ex.html manifest.json
  ./manifest.json assets assets/ assets/nothing.js assets// .env .git/config .vite/manifest.json C:/Windows/win.ini
  C:%5cWindows%5cwin.ini ~/.ssh/id_rsa %7e/.ssh/id_rsa %c0%ae%c0%ae/etc/passwd %e0%80%ae%e0%80%ae/etc/passwd %u002e%u002e/etc
  ..;/etc/passwd /../etc/passwd/x.js owner.db console.db logs/main.log % %zz`
  .trim()
  .split(/\s+/)
  .concat('a'.repeat(10_000), '\u202e/etc')

test('finds nothing outside the build, however its address is written', async ({ desktop }) => {
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

test('answers only reading of the console, and cancels what leaves it', async ({ desktop }) => {
  await desktop.window()
  const attempts = [
    ['GET app://console/', /^200$/],
    ['POST app://console/', /^405$/],
    ['PUT app://console/index.html', /^405$/],
    ['DELETE app://console/', /^405$/],
    ['GET app://console.evil/index.html', /^404$|ERR_/],
    ['GET app://other/', /^404$|ERR_/],
    ['GET https://example.org/', /ERR_BLOCKED_BY_CLIENT/],
    ['GET http://127.0.0.1:1/', /ERR_BLOCKED_BY_CLIENT/],
    ['GET http://localhost:1/x', /ERR_BLOCKED_BY_CLIENT/],
    ['GET file:///etc/passwd', /ERR_/],
    ['GET data:text/plain,x', /ERR_/],
    ['GET unknown://x/', /ERR_/],
  ] as const
  for (const [attempt, expected] of attempts) {
    const [method, url] = attempt.split(' ') as [string, string]
    const answer = await desktop.main(
      ({ session }, request) =>
        session
          .fromPartition('persist:console')
          .fetch(request.url, { method: request.method })
          .then(
            ({ status }) => String(status),
            (error: Error) => error.message,
          ),
      { method, url },
    )
    expect(answer, attempt).toMatch(expected)
  }
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
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'none'",
      "worker-src 'none'",
      "frame-ancestors 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ]),
  )
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/)
  expect(second!['content-security-policy'], 'a nonce per load').not.toBe(policy)
})

test('lets the page write the clipboard and denies everything else', async ({ desktop }) => {
  test.skip(desktop.kind === 'double', 'needs Electron')
  const page = await desktop.window()
  const granted = await page.evaluate(async () => {
    const found: string[] = []
    const names =
      'geolocation notifications camera microphone clipboard-read clipboard-write midi persistent-storage idle-detection window-management'
    for (const name of names.split(' ')) {
      const { state } = await navigator.permissions.query({ name: name as PermissionName })
      if (state === 'granted') found.push(name)
    }
    const attempts: [string, () => Promise<unknown>][] = [
      ['asking for the camera', () => navigator.mediaDevices.getUserMedia({ video: true })],
      ['asking for the screen', () => navigator.mediaDevices.getDisplayMedia()],
      [
        'asking for the place',
        () => new Promise((...done) => navigator.geolocation.getCurrentPosition(...done)),
      ],
    ]
    for (const [name, run] of attempts)
      await run().then(
        () => found.push(name),
        () => {},
      )
    if ((await Notification.requestPermission()) === 'granted') found.push('asking to notify')
    return found
  })
  expect(granted).toEqual(['clipboard-write'])
})
