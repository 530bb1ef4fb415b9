import { noRefusals } from '#electron/jobs/table/find-consent.ts'
import { openContactList } from '#electron/core/people/contact-store/contact-list.ts'
import { createContactStoreClient } from '#electron/core/people/contact-store/contact-store-client.ts'
import { runJob } from '#electron/core/platform/tasks/job-runner.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { join } from 'node:path'
import { choices, filesIn, log } from './prepare.ts'
import type { ImportRun } from './runs.ts'

/** `import-ours.ts <connection's folder> <table or workbook>`: imports as the console does, and reads the list meanwhile. */
const [folder, file] = process.argv.slice(2) as [string, string]
const files = filesIn(folder)
const contactStore = createContactStoreClient({ ...files, clock: systemClock, log })
await contactStore.open()
const list = openContactList(files, contactStore)
const pageMs: number[] = []
let longestStallMs = 0
let lastBeat = performance.now()
const beat = setInterval(() => {
  const now = performance.now()
  longestStallMs = Math.max(longestStallMs, now - lastBeat - 10)
  lastBeat = now
}, 10)
const asking = setInterval(() => {
  const began = performance.now()
  void list
    .page({ filter: { text: 'mar' }, sort: { by: 'name', descending: false }, limit: 50 })
    .then(() => list.page({ filter: {}, sort: { by: 'name', descending: false }, limit: 50 }))
    .then(() => pageMs.push(performance.now() - began))
}, 250)

const cpuBefore = process.cpuUsage()
const began = performance.now()
const table = file.endsWith('.xlsx') ? join(folder, 'table') : file
if (table !== file) await runJob({ job: 'open-table', file, target: table, sheet: null })
const openMs = performance.now() - began
const openRssMiB = process.resourceUsage().maxRSS / 1024
const { counts } = await runJob(
  {
    ...files,
    job: 'import',
    file: table,
    choices,
    outcomeAt: null,
    refusals: noRefusals(),
    importId: `import of ${file}`,
    rejectedFile: join(folder, 'rejected'),
    nowMs: Date.now(),
  },
  { contactsPort: contactStore.portForJob() },
)
const ms = performance.now() - began
const { user, system } = process.cpuUsage(cpuBefore)
clearInterval(asking)
clearInterval(beat)
const found = await contactStore.reads.count({ text: 'hansen' })
list.close()
await contactStore.stop()
pageMs.sort((a, b) => a - b)
process.send!({
  ms,
  openMs,
  openRssMiB,
  cpuMs: (user + system) / 1_000,
  stored: counts.new,
  invalid: counts.invalid,
  marked: counts.marked,
  found,
  pageMaxMs: pageMs.at(-1) ?? 0,
  longestStallMs,
  coreHeapMiB: process.memoryUsage().heapUsed / 2 ** 20,
  rssMiB: process.resourceUsage().maxRSS / 1024,
} satisfies ImportRun)
