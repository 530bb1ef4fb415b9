import { _electron, chromium, expect, type Page } from '@playwright/test'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createBirpc } from 'birpc'
import { chromiumPath } from '../helpers/chromium.ts'
import type { DoubleFunctions } from './double/run.ts'

const root = resolve(import.meta.dirname, '../..')

/** The members of Electron's module that the specs use inside the main process. */
export type ElectronModule = typeof Electron.Main

/** The console as a desktop application, in Electron or in the double, with one interface for both. */
export interface Desktop {
  kind: 'double' | 'real'
  /** The page’s origin: a custom scheme in Electron, its stand-in in the double. */
  pageOrigin: string
  dataDir: string
  /** The first window’s page, loaded. */
  window(): Promise<Page>
  /** Runs a function in the main process. It is sent as text and sees only its parameters. */
  main<A, R>(run: (electron: ElectronModule, argument: A) => R | Promise<R>, argument: A): Promise<R>
  main<R>(run: (electron: ElectronModule) => R | Promise<R>): Promise<R>
  /** Everything written to standard error. */
  stderr(): string
  /** Exit code, once it ended. */
  exited: Promise<number | null>
  signal(name: NodeJS.Signals): void
  /** Quits as an operator would. Fails if anything is left behind, or if the double was asked for something it can’t do. */
  close(): Promise<void>
}

export interface DesktopOptions {
  /** If given, the caller deletes it. */
  dataDir?: string
  /** Added to this process’s environment; undefined removes a variable. */
  env?: Record<string, string | undefined>
  args?: string[]
  /** Another main process than the built one: a packed app’s. */
  app?: string
}

/** Electron’s binary, where `npx install-electron` puts it. Never downloaded here. */
export function electronBinary(): string | null {
  const dist = join(root, 'node_modules/electron')
  const pathFile = join(dist, 'path.txt')
  const name = existsSync(pathFile)
    ? readFileSync(pathFile, 'utf8').trim()
    : process.platform === 'win32'
      ? 'electron.exe'
      : 'electron'
  const binary = join(dist, 'dist', name)
  return existsSync(binary) ? binary : null
}

/** Why the specs can’t run in Electron here, or null. */
export function whyNotElectron(): string | null {
  if (electronBinary() === null)
    return "Electron's binary is not in node_modules/electron/dist (npx install-electron fetches it)"
  const hasDisplay = process.platform !== 'linux' || process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']
  return hasDisplay ? null : 'there is no display (DISPLAY and WAYLAND_DISPLAY are empty)'
}

function environment(dataDir: string, options: DesktopOptions): Record<string, string> {
  const all = {
    ...process.env,
    SWITCHBOARD_DATA_DIR: dataDir,
    // Any free port: specs run in parallel.
    SWITCHBOARD_LISTENER_PORT: '0',
    SWITCHBOARD_CHROMIUM: chromiumPath(),
    ...options.env,
  }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const electronArgs = (options: DesktopOptions) => [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  options.app ?? root,
  ...(options.args ?? []),
]
const doubleArgs = (options: DesktopOptions) => [
  join(import.meta.dirname, 'double/run.ts'),
  options.app ?? join(root, 'out/main/main.js'),
  ...(options.args ?? []),
]

/** Starts the built console. Run `npm run build` first. */
export async function startDesktop(kind: Desktop['kind'], options: DesktopOptions = {}): Promise<Desktop> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-desktop-'))
  const started = await (kind === 'real' ? startReal : startDouble)(environment(dataDir, options), options)
  return {
    ...started,
    kind,
    dataDir,
    async close() {
      await started.close()
      await expect.poll(() => processesOf(dataDir), { message: 'processes left behind' }).toEqual([])
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Starts a console that should end. Resolves when it ends or writes `until` to standard error: in Electron it then shows a message box
 * and is killed (`code` null).
 */
export async function runToEnd(
  kind: Desktop['kind'],
  options: DesktopOptions & { dataDir: string; until?: RegExp },
): Promise<{ code: number | null; stderr: string }> {
  const [program, args] =
    kind === 'real' ? [electronBinary()!, electronArgs(options)] : [process.execPath, doubleArgs(options)]
  const child = spawn(program, args, {
    cwd: root,
    env: environment(options.dataDir, options),
    stdio: ['ignore', 'inherit', 'pipe'],
    // A console that stays is asked to quit, and the exit code shows it.
    timeout: 90_000,
  })
  const watched = watch(child)
  child.stderr.on('data', () => {
    if (kind === 'real' && options.until?.test(watched.stderr())) child.kill('SIGKILL')
  })
  const code = await watched.exited
  return { code, stderr: watched.stderr() }
}

type Started = Omit<Desktop, 'kind' | 'dataDir'>

async function startReal(env: Record<string, string>, options: DesktopOptions): Promise<Started> {
  const electron = await _electron.launch({
    executablePath: electronBinary()!,
    args: electronArgs(options),
    cwd: root,
    env,
  })
  const child = electron.process()
  const watched = watch(child)
  return {
    pageOrigin: 'app://console',
    window: async () => loaded(await electron.firstWindow()),
    main: (run: (electron: ElectronModule, argument: unknown) => unknown, argument?: unknown) =>
      electron.evaluate(run as never, argument as never) as Promise<never>,
    ...watched,
    async close() {
      await electron.close()
      await watched.exited
    },
  }
}

/** A new page starts as `about:blank`. */
async function loaded(page: Page): Promise<Page> {
  await expect
    .poll(() => page.evaluate(() => location.protocol !== 'about:' && document.readyState).catch(() => null))
    .toBe('complete')
  return page
}

async function startDouble(env: Record<string, string>, options: DesktopOptions): Promise<Started> {
  const child = spawn(process.execPath, doubleArgs(options), {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  const watched = watch(child)
  let page: Promise<Page> | null = null
  const double = createBirpc<DoubleFunctions>(
    {},
    {
      post: (data) => void (child.connected && child.send(data as object)),
      on: (receive) => void child.on('message', receive),
      // A question may wait for as long as its test.
      timeout: -1,
    },
  )
  child.once('exit', (code) => double.$close(new Error(`The double ended (${code})\n${watched.stderr()}`)))

  async function connect(): Promise<Page> {
    let url: string | null = null
    await expect.poll(async () => (url = await double.devTools())).not.toBeNull()
    const browser = await chromium.connectOverCDP(url!)
    const context = browser.contexts()[0]!
    return loaded(context.pages()[0] ?? (await context.waitForEvent('page')))
  }

  return {
    pageOrigin: 'https://console.app.electron-double.invalid',
    window: () => (page ??= connect()),
    main: (run: (electron: ElectronModule, argument: unknown) => unknown, argument?: unknown) =>
      double.run(run.toString(), argument ?? null) as Promise<never>,
    ...watched,
    async close() {
      const problems = child.connected ? await double.problems() : []
      if (child.connected) double.run('({ app }) => app.quit()', null).catch(() => {})
      await watched.exited
      await page?.then((each) => each.context().browser()?.close()).catch(() => {})
      expect(problems, 'the double was asked for what it cannot do').toEqual([])
    },
  }
}

function watch(child: ChildProcess): Pick<Desktop, 'stderr' | 'exited' | 'signal'> {
  let text = ''
  child.stderr!.on('data', (data: Buffer) => (text += data.toString()))
  return {
    stderr: () => text,
    exited: new Promise((done) => child.once('exit', (code) => done(code))),
    signal: (name) => void child.kill(name),
  }
}

/** Every process of the console has its data folder in the environment or on the command line. */
function processesOf(dataDir: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const state = / ([A-Z]) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''))?.[1]
      if (state === 'Z') return false
      return ['environ', 'cmdline'].some((file) =>
        readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(dataDir),
      )
    } catch {
      return false
    }
  })
}
