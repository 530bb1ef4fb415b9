import { parentPort, workerData } from 'node:worker_threads'
import { releaseMemoryAfterStart } from '../lib/release-memory.ts'
import { type Sandbox, type SandboxOptions, createSandbox } from './create-sandbox.ts'
import type { ContactRecord, TemplateRecord } from './wire.ts'

export type SandboxThreadData = Omit<SandboxOptions, 'clock' | 'log'>

/** Sent once: `ready` or `failed`. */
export type SandboxThreadMessage =
  | {
      kind: 'ready'
      baseUrl: string
      username: string
      password: string
      tenantName: string
      /** The first tenant's; no call lists them. */
      channels: { id: string; name: string }[]
      /** Templates and some contacts of the first tenant, for an empty console. */
      samples: { templates: TemplateRecord[]; contacts: ContactRecord[] }
      adminToken: string
    }
  | { kind: 'failed'; message: string }

export type SandboxThreadCommand = { kind: 'stop' }

const sampleContacts = 60

const port = parentPort
if (!port) throw new Error('sandbox-thread must be started as a worker thread')
releaseMemoryAfterStart()

const say = (message: SandboxThreadMessage) => port.postMessage(message)

let sandbox: Sandbox | null = null
let stopRequested = false

async function stop(): Promise<void> {
  stopRequested = true
  // A failed last save must not keep the thread alive; the previous file is intact.
  await sandbox?.stop().catch(() => {})
  if (sandbox) port!.close()
}

port.on('message', (command: SandboxThreadCommand) => {
  if (command.kind === 'stop') void stop()
})

try {
  sandbox = await createSandbox(workerData as SandboxThreadData)
  const first = sandbox.tenants[0]!
  const tenant = sandbox.tenant(first.name)
  say({
    kind: 'ready',
    baseUrl: sandbox.baseUrl,
    username: first.username,
    password: first.password,
    tenantName: first.name,
    channels: tenant.channels(),
    samples: { templates: tenant.templates(), contacts: tenant.contacts().slice(0, sampleContacts) },
    adminToken: sandbox.adminToken,
  })
  if (stopRequested) void stop()
} catch (error) {
  say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  port.close()
}
