import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type HostProcess, spawnHost } from './host-process.ts'

/** Debian's package puts it where not every user's PATH looks. */
const path = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin`

/** Why this machine can't run NATS, or null. */
export function whyNoNats(): string | null {
  const { error, status } = spawnSync('nats-server', ['--version'], { env: { ...process.env, PATH: path } })
  return error || status !== 0 ? 'nats-server is not installed (Debian package nats-server)' : null
}

interface Ports {
  name: string
  client: number
  cluster: number
  http: number
}

const lowestPort = 20_000
const highestPort = 32_000
const pollMs = 25
const readyMs = 60_000

export type NatsCluster = Awaited<ReturnType<typeof startNatsCluster>>

/**
 * One or three `nats-server` processes with JetStream on loopback, each with its own temporary folder. Resolves once
 * streams can be made. Call `stop` at the end.
 */
export async function startNatsCluster(nodes: 1 | 3) {
  const ports: Ports[] = []
  for (let at = 0; at < nodes; at++)
    ports.push({
      name: `n${at}`,
      client: await quietPort(),
      cluster: await quietPort(),
      http: await quietPort(),
    })
  const running = ports.map((): HostProcess | null => null)
  let hasFailed = false
  const routes = ports.map(({ cluster }) => `nats://127.0.0.1:${cluster}`)
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-nats-'))

  function start(node: number): void {
    if (running[node]) throw new Error(`Node ${node} runs already`)
    const { name, client, cluster, http } = ports[node]!
    const clusterFlags = [
      ...['--cluster_name', 'test', '--cluster', `nats://127.0.0.1:${cluster}`],
      ...['--routes', routes.filter((_route, at) => at !== node).join(',')],
    ]
    const child = spawnHost({
      command: 'nats-server',
      args: [
        ...['-a', '127.0.0.1', '-p', String(client), '-m', String(http), '-n', name],
        ...['-js', '-sd', join(folder, name)],
        ...(nodes === 1 ? [] : clusterFlags),
      ],
      env: { PATH: path },
    })
    running[node] = child
    child.exit.then(
      () => (hasFailed ||= running[node] === child),
      () => (hasFailed = true),
    )
  }

  async function kill(node: number): Promise<void> {
    const child = running[node]
    running[node] = null
    await child?.kill('SIGKILL')
  }

  /** Resolves when each running node has its streams back, and, with most nodes running, the cluster has a leader. */
  async function ready(): Promise<void> {
    const endMs = performance.now() + readyMs
    const up = ports.filter((_ports, node) => running[node])
    while (!(await isReady(up, nodes))) {
      if (hasFailed || performance.now() > endMs)
        throw new Error(
          `NATS did not get ready:\n${running.map((child) => child?.lines.join('\n')).join('\n\n')}`,
        )
      await setTimeout(pollMs)
    }
  }

  for (let node = 0; node < nodes; node++) start(node)
  await ready()

  return {
    /** Of each node, running or not. */
    urls: ports.map(({ client }) => `nats://127.0.0.1:${client}`),
    /** All of them, as `--store` takes them. */
    url: ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(','),
    /** Kills a node with SIGKILL. Its files stay. */
    kill,
    /** SIGSTOP cuts a running node off, SIGCONT lets it go on. */
    signal: (node: number, signal: 'SIGSTOP' | 'SIGCONT') => running[node]?.signal(signal),
    /** Starts a killed node with its files and ports. Follow with `ready` to wait for it. */
    start,
    /** Of the running nodes. */
    pids: () => running.flatMap((child) => child?.pid ?? []),
    ready,
    /** Ends all nodes and deletes their files. */
    async stop(): Promise<void> {
      await Promise.all(ports.map((_ports, node) => kill(node)))
      rmSync(folder, { recursive: true })
    },
  }
}

async function ask(port: number, place: string): Promise<{ status: number; body: unknown }> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/${place}`)
    return { status: answer.status, body: await answer.json() }
  } catch {
    return { status: 0, body: {} }
  }
}

async function isReady(up: readonly Ports[], nodes: number): Promise<boolean> {
  for (const { http } of up) if ((await ask(http, 'healthz')).status !== 200) return false
  if (nodes === 1 || up.length <= nodes / 2) return true
  // Only the leader lists the other nodes. A stream finds no place before it knows them.
  for (const { http } of up) {
    const { meta_cluster: meta } = (await ask(http, 'jsz')).body as {
      meta_cluster?: { replicas?: { name: string; current?: boolean }[] }
    }
    const current = meta?.replicas?.flatMap(({ name, current }) => (current ? [name] : [])) ?? []
    if (up.every((one) => one.http === http || current.includes(one.name))) return true
  }
  return false
}

const given = new Set<number>()

/** A free port below those of outgoing connections, so that no other program takes it while a node is down. */
async function quietPort(): Promise<number> {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort))
    if (given.has(port)) continue
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    given.add(port)
    server.close()
    await once(server, 'close')
    return port
  }
}
