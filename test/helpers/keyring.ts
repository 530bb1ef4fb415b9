import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The states of a Linux keyring that the console distinguishes (a process that ends is unit-tested). */
export type KeyringState =
  | 'unlocked'
  | 'locked'
  | 'wrong password'
  | 'no login collection'
  | 'no provider'
  | 'no bus'
  | 'bus gone'
  | 'daemon stopped'
  | 'no library'

/** A private keyring: home, bus and daemon, all ended and deleted after the test. */
export interface Keyring {
  /** Environment of a process that sees only this keyring. */
  env: NodeJS.ProcessEnv
  /** Program to run Node through, where the state needs one. */
  execPath?: string
  /** Ends the daemon and starts it again, unlocked with the right password. */
  restartUnlocked(): Promise<void>
  /** Continues a stopped daemon. */
  resume(): void
}

const password = 'right-password'
const run = promisify(execFile)

/** Why this machine can have no real keyring, or null. */
export function whyNoKeyring(): string | null {
  if (process.platform !== 'linux') return 'the keyring tests need Linux'
  const missing = ['gnome-keyring-daemon', 'dbus-daemon', 'dbus-send'].filter(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  )
  if (missing.length > 0) return `${missing.join(', ')} not installed (gnome-keyring, dbus)`
  return libsecretFolder() === null ? 'libsecret-1.so.0 not installed (libsecret-1-0)' : null
}

function libsecretFolder(): string | null {
  const listed = spawnSync('sh', ['-c', 'PATH=$PATH:/sbin:/usr/sbin ldconfig -p'], {
    encoding: 'utf8',
  }).stdout
  return /=> (\/.*)\/libsecret-1\.so\.0$/m.exec(listed ?? '')?.[1] ?? null
}

/** A bus without service files: no keyring daemon or unlock prompt starts automatically. */
const busConfig = (folder: string) => `<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=${folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

/**
 * Keeps a process from loading libsecret: where this user may mount, the files are really absent (an overlay in its own mount namespace);
 * else the loader finds an unreadable copy first.
 */
function hideLibrary(home: string, folder: string, env: NodeJS.ProcessEnv): { execPath?: string } {
  mkdirSync(join(home, 'work'))
  const wrapper = join(home, 'node-without-libsecret')
  const script = `d=$(readlink -f ${folder})
mount -t tmpfs none ${home}/work && mkdir ${home}/work/u ${home}/work/w &&
mount -t overlay none -o lowerdir=$d,upperdir=${home}/work/u,workdir=${home}/work/w $d &&
rm $d/libsecret-1.so* && exec "$0" "$@"`
  writeFileSync(wrapper, `#!/bin/sh\nexec unshare -rm sh -c '${script}' ${process.execPath} "$@"\n`)
  chmodSync(wrapper, 0o700)
  if (spawnSync(wrapper, ['--version']).status === 0) return { execPath: wrapper }
  console.log('  "no library" by an unreadable libsecret: this user may not mount')
  const decoy = join(home, 'decoy')
  mkdirSync(decoy)
  writeFileSync(join(decoy, 'libsecret-1.so.0'), '')
  env['LD_LIBRARY_PATH'] = decoy
  return {}
}

async function end(child: ChildProcess | null): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Runs `use` with a real gnome-keyring in `state`, apart from the user's own keyring. */
export async function withKeyring<T>(state: KeyringState, use: (keyring: Keyring) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'keyring-'))
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DISPLAY: undefined,
    WAYLAND_DISPLAY: undefined,
    DBUS_SESSION_BUS_ADDRESS: undefined,
    GNOME_KEYRING_CONTROL: undefined,
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_RUNTIME_DIR: join(home, 'run'),
  }
  for (const folder of ['data', 'config', 'cache', 'run']) mkdirSync(join(home, folder), { mode: 0o700 })
  let bus: ChildProcess | null = null
  let daemon: ChildProcess | null = null

  async function startBus(): Promise<void> {
    const config = join(home, 'bus.conf')
    writeFileSync(config, busConfig(join(home, 'run')))
    bus = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [address] = (await once(bus.stdout!, 'data')) as [Buffer]
    env['DBUS_SESSION_BUS_ADDRESS'] = address.toString().trim()
  }

  const dbusSend = async (...args: string[]) =>
    (await run('dbus-send', ['--session', '--print-reply', ...args], { env })).stdout

  async function ownsName(): Promise<boolean> {
    const reply = await dbusSend(
      '--dest=org.freedesktop.DBus',
      '/',
      'org.freedesktop.DBus.NameHasOwner',
      'string:org.freedesktop.secrets',
    )
    return reply.includes('true')
  }

  async function startDaemon(unlockWith: string | null): Promise<void> {
    await end(daemon)
    const args = ['--foreground', '--components=secrets', ...(unlockWith === null ? [] : ['--unlock'])]
    daemon = spawn('gnome-keyring-daemon', args, { env, stdio: ['pipe', 'ignore', 'ignore'] })
    daemon.stdin!.end(unlockWith ?? '')
    for (let tries = 0; !(await ownsName()); tries++)
      if (tries > 200) throw new Error('gnome-keyring-daemon did not come up')
  }

  const keyring: Keyring = {
    env,
    restartUnlocked: () => startDaemon(password),
    resume: () => void daemon?.kill('SIGCONT'),
  }

  try {
    if (state !== 'no bus') await startBus()
    if (state === 'bus gone') await end(bus)
    if (state === 'no login collection') await startDaemon(null)
    if (['unlocked', 'locked', 'wrong password', 'daemon stopped', 'no library'].includes(state))
      await startDaemon(password)
    if (state === 'locked') await startDaemon(null)
    if (state === 'wrong password') await startDaemon('wrong-password')
    if (state === 'daemon stopped') daemon!.kill('SIGSTOP')
    if (state === 'no library') Object.assign(keyring, hideLibrary(home, libsecretFolder()!, env))
    return await use(keyring)
  } finally {
    await end(daemon)
    await end(bus)
    rmSync(home, { recursive: true, force: true })
  }
}
