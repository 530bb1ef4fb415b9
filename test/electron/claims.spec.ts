import { join } from 'node:path'
import { expect, test } from './fixtures.ts'

/** What the console relies on in Electron, checked in a minimal app. The double must answer the same. */
const app = join(import.meta.dirname, 'probe/main.mjs')

test('a port closes after earlier messages, notifies both sides, and drops later ones', async ({
  startDesktop,
}) => {
  const desktop = await startDesktop({ app })
  const seen = await desktop.main(
    ({ MessageChannelMain }) =>
      new Promise<unknown[]>((done) => {
        const { port1, port2 } = new MessageChannelMain()
        const events: unknown[] = []
        port1.on('close', () => events.push('closed here'))
        port2.on('message', ({ data }) => events.push(data))
        port2.on('close', () => {
          events.push('closed there')
          port2.postMessage('too late')
          done(events)
        })
        port1.postMessage('first')
        port1.postMessage('second')
        port1.close()
        port1.postMessage('too late')
        events.push('close returned')
        // Before the port is started nothing arrives, not even the close.
        setImmediate(() => {
          events.push('started')
          port2.start()
        })
      }),
  )
  expect(seen).toEqual(['closed here', 'close returned', 'started', 'first', 'second', 'closed there'])
})

test('maximizing shows a window, and a Node port cannot be transferred', async ({ startDesktop }) => {
  const desktop = await startDesktop({ app })
  await desktop.window()
  const seen = await desktop.main(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    const before = window!.isVisible()
    window!.maximize()
    const { port1 } = new MessageChannel()
    let refusal = ''
    try {
      window!.webContents.mainFrame.postMessage('probe', null, [port1 as unknown as Electron.MessagePortMain])
    } catch (error) {
      refusal = (error as Error).name
    }
    return { before, after: window!.isVisible(), refusal }
  })
  expect(seen).toEqual({ before: false, after: true, refusal: 'TypeError' })
})

test('a partition in memory forgets what a page stored; a persistent one keeps it', async ({
  startDesktop,
  dataDir,
}) => {
  const leaveMarks = async () => {
    const desktop = await startDesktop({ app, dataDir })
    await desktop.window()
    const found = await desktop.main(async ({ BrowserWindow, session }) => {
      const marks: Record<string, unknown> = {}
      for (const partition of ['memory', 'persist:disk']) {
        const own = session.fromPartition(partition)
        own.protocol.handle(
          'app',
          () => new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } }),
        )
        const window = new BrowserWindow({ show: false, webPreferences: { session: own } })
        await window.loadURL('app://console/')
        marks[partition] = await window.webContents.executeJavaScript('localStorage.getItem("mark")')
        await window.webContents.executeJavaScript('localStorage.setItem("mark", "left")')
        own.flushStorageData()
      }
      return marks
    })
    await desktop.close()
    return found
  }
  expect(await leaveMarks()).toEqual({ memory: null, 'persist:disk': null })
  expect(await leaveMarks()).toEqual({ memory: null, 'persist:disk': 'left' })
})

test('reports a killed utility process to the app', async ({ startDesktop }) => {
  const desktop = await startDesktop({ app })
  await desktop.window()
  const gone = await desktop.main(
    ({ app: running, utilityProcess }, program) =>
      new Promise<object>((done) => {
        running.on('child-process-gone', (_event, { type, reason, name }) => done({ type, reason, name }))
        const child = utilityProcess.fork(program, [], { serviceName: 'Probe', stdio: 'ignore' })
        child.once('spawn', () => process.kill(child.pid!, 'SIGKILL'))
      }),
    join(import.meta.dirname, 'probe/waits.mjs'),
  )
  expect(gone).toEqual({ type: 'Utility', reason: 'killed', name: 'Probe' })
})

test('starts and ends a thread per job, hundreds of times', async ({ startDesktop, desktopKind }) => {
  const desktop = await startDesktop({ app })
  // Electron has aborted after many threads (electron#47986). Node, below the double, has not.
  const jobs = desktopKind === 'real' ? 500 : 20
  const ended = await desktop.main(async (_electron, count) => {
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    const { once } = process.getBuiltinModule('node:events')
    let done = 0
    for (let job = 0; job < count; job++) {
      const worker = new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true })
      await once(worker, 'message')
      // Cancelled tasks end their thread so.
      await worker.terminate()
      done++
    }
    return done
  }, jobs)
  expect(ended).toBe(jobs)
})
