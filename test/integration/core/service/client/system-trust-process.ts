import { createServiceFetch } from '#electron/core/service/client/service-fetch.ts'
import { createLog } from '#electron/lib/log.ts'

/** Prints the status of one request through a proxy, with the certificate authorities of its environment. */
const [proxy = '', url = ''] = process.argv.slice(2)
const { fetch, close } = createServiceFetch({
  resolveProxies: () => Promise.resolve([proxy]),
  log: createLog((entry) => process.stderr.write(`${entry.message}\n`), 'test'),
})
const answer = await fetch(url)
process.stdout.write(String(answer.status))
await close()
