import { endOnSignal, exitCodes, ignoreTerminal } from '../lib/command-line.ts'
import { createLog } from '../lib/log.ts'
import { readCliOptions, usage } from './cli-options.ts'
import { type Sandbox, createSandbox } from './create-sandbox.ts'

const log = createLog((entry) => {
  if (entry.level === 'warn' || entry.level === 'error')
    console.error(`${entry.level}: ${entry.message}`, entry.data ?? '')
}, 'sandbox')

function refuse(message: string, exitCode: number): never {
  console.error(message)
  process.exit(exitCode)
}

function wordsFor(error: unknown, port: number | undefined): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `Port ${port} is used by another program. Choose another with --port, or --port 0 for any.`
  if (code === 'EACCES') return `Your account may not use port ${port}. Choose one above 1023 with --port.`
  return message
}

function announce(sandbox: Sandbox): void {
  console.log(`Sandbox ready: ${sandbox.baseUrl}`)
  for (const tenant of sandbox.tenants)
    for (const user of tenant.users)
      console.log(`  ${tenant.name.padEnd(16)} ${user.role.padEnd(12)} ${user.username} / ${user.password}`)
  console.log(`  Sandbox-only calls: header X-Sandbox-Admin: ${sandbox.adminToken}`)
  console.log('  Stop with Ctrl+C.')
}

ignoreTerminal()
const answer = readCliOptions(process.argv.slice(2))
if (answer.kind === 'help') {
  console.log(usage)
  process.exit(0)
}
if (answer.kind === 'refused') refuse(`${answer.message}\n\n${usage}`, exitCodes.usage)

let sandbox: Sandbox
try {
  sandbox = await createSandbox({ ...answer.options, log })
} catch (error) {
  refuse(wordsFor(error, answer.options.port), exitCodes.failed)
}
announce(sandbox)

endOnSignal(() => {
  sandbox.stop().then(
    () => process.exit(exitCodes.clean),
    (error: unknown) =>
      refuse(`The sandbox did not stop cleanly: ${(error as Error).message}`, exitCodes.failed),
  )
})
