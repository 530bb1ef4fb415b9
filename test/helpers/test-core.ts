import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest'
import { everyone } from './contact-files.ts'
import { type Rpc, type RunningCore, startCore } from './start-core.ts'
import { taskEnd } from './wait-for.ts'

export type CoreOptions = Parameters<typeof startCore>[0]

/** A core that stops when the test ends. The first of a series of restarts removes the folder and the sandbox. */
export async function startTestCore(options: CoreOptions = {}): Promise<RunningCore> {
  const running = await startCore(options)
  onTestFinished(options.after ? running.stopCore : running.stop)
  return running
}

/** A test core with its sandbox open. */
export async function startInSandbox(options: CoreOptions = {}): Promise<RunningCore> {
  const running = await startTestCore(options)
  await running.rpc.connections.openSandbox()
  return running
}

/** Deletes all contacts and releases all holds. */
export async function forgetPeople(rpc: Rpc): Promise<void> {
  const { taskId } = await rpc.contacts.delete({ selection: everyone })
  if (taskId) await taskEnd(rpc, taskId)
  for (const { id } of (await rpc.dnc.holds({ which: 'active', limit: 100 })).items)
    await rpc.dnc.release({ id })
}

/** One core with its sandbox open for all tests of a file, without contacts and holds after each. */
export function shareSandbox(options: CoreOptions = {}): Pick<RunningCore, 'rpc' | 'sandbox' | 'dataDir'> {
  let running: RunningCore
  beforeAll(async () => {
    running = await startCore(options)
    await running.rpc.connections.openSandbox()
  })
  afterEach(() => forgetPeople(running.rpc))
  afterAll(() => running.stop())
  return {
    get rpc() {
      return running.rpc
    },
    get sandbox() {
      return running.sandbox
    },
    get dataDir() {
      return running.dataDir
    },
  }
}

export const serviceSecret = 'a-secret-of-the-service'

/** A test core with its sandbox open and another secret, so that the test can sign deliveries itself. */
export async function startListening(options: CoreOptions = {}): Promise<RunningCore> {
  const running = await startInSandbox(options)
  await running.rpc.listener.addSecret({ label: 'Test', value: serviceSecret })
  return running
}

/** Stops a core, if it still runs, and starts another on its folder with the last connection open. */
export async function restartCore(after: RunningCore, options: CoreOptions = {}): Promise<RunningCore> {
  await after.stopCore()
  return startTestCore({ after, config: { startWith: { kind: 'last' } }, ...options })
}

/** Connects to a service with an API key. */
export const connectTo = (rpc: Rpc, baseUrl: string, name: string, apiKey = 'k-1') =>
  rpc.connections.connect({
    name,
    baseUrl,
    colour: 'blue',
    production: false,
    credential: { kind: 'api-key', apiKey },
  })

/** Connects to the sandbox with an API key, as to any service. */
export const connectByKey = (
  { rpc, sandbox }: Pick<RunningCore, 'rpc' | 'sandbox'>,
  apiKey = sandbox.createApiKey('operator@harbor.example').key,
  name = 'Harbor',
) => connectTo(rpc, sandbox.baseUrl, name, apiKey)
