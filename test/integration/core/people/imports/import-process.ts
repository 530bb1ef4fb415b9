import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { ImportChoices, ImportCounts } from '#contract/people/imports.ts'
import { choicesFor, download, importFile, upload, rejectedRows } from '../../../../helpers/contact-files.ts'
import { startCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

/** What the process reports of a finished import. */
export interface ImportReport {
  state: string
  counts: ImportCounts
  rejected: string
  contacts: string
  /** Stored contacts, and how many a search finds. */
  total: number
  found: number
  /** Holds that the import says it put, and all there are. */
  held: number
  holds: number
}

/**
 * A console on a folder, for tests that kill it. `open` creates its databases and ends, `seed` imports a file and ends, `start` imports
 * a file, `resume` continues the interrupted import, `look` reports its progress and continues it on a message.
 * Sends `running` once the import runs, its report at the end, and another after an undo.
 */
const [dataDir, action, file] = process.argv.slice(2) as [
  string,
  'open' | 'seed' | 'start' | 'resume' | 'look',
  string,
]
/** Well below the time after which an import lets others write. */
const askEveryMs = 10
const change: Partial<ImportChoices> = { duplicatesInContacts: 'update', extraTags: { source: 'fair' } }

const running = await startCore({ dataDir })
const { rpc } = running
await rpc.connections.openSandbox()
const say = (message: unknown) => process.send!(message)
const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

async function begin(): Promise<{ importId: string; taskId: string }> {
  const { importId, choices } = await choicesFor(
    rpc,
    await upload(rpc, 'people.csv', readFileSync(file)),
    change,
  )
  return { importId, ...(await rpc.imports.start({ importId, choices })) }
}

/** Resumes the import, which may have finished just before the kill. */
async function goOn(): Promise<{ importId: string; taskId: string }> {
  const { items } = await rpc.imports.list({ limit: 1 })
  const { id: importId, taskId, state } = items[0]!
  const task = await rpc.tasks.get({ id: taskId! })
  if (task.state !== state) throw new Error(`the import is ${state}, its task is ${task.state}`)
  if (state !== 'done') await rpc.tasks.resume({ id: taskId! })
  return { importId, taskId: taskId! }
}

async function report(importId: string, state: string): Promise<ImportReport> {
  const { taskId } = await rpc.contacts.export({
    selection: { filter: {}, exceptIds: [] },
    columns: ['name', 'phone', 'email', 'tags', 'note', 'state'],
    tagColumns: false,
  })
  const contacts = await download(rpc, (await taskEnd(rpc, taskId)).refId!)
  const rejected = await rejectedRows(rpc, importId)
  const { counts, held } = await rpc.imports.get({ importId })
  const { total: holds } = await rpc.dnc.holds({ which: 'active' })
  const { total } = await rpc.contacts.summary()
  const { value: found } = await rpc.contacts.count({ filter: { text: '+49171' } })
  return {
    state,
    counts,
    rejected: hash(JSON.stringify(rejected)),
    contacts: hash(contacts),
    total,
    found,
    held,
    holds,
  }
}

async function end(): Promise<never> {
  await running.stopCore()
  await running.sandbox.stop()
  process.exit(0)
}

if (action === 'open') await end()
if (action === 'seed') {
  await importFile(rpc, 'seed.csv', readFileSync(file))
  await end()
}
if (action === 'look') {
  const { items } = await rpc.imports.list({ limit: 1 })
  const { total: listed } = await rpc.imports.rejected({ importId: items[0]!.id, limit: 1 })
  say({ record: items[0], task: await rpc.tasks.get({ id: items[0]!.taskId! }), listed })
  await once(process, 'message')
}
const { importId, taskId } = action === 'start' ? await begin() : await goOn()
say('running')
let isOver = false
void (async () => {
  // Others wait to write, so the import commits every 0.3 s instead of 2.5. Tagging no contact changes nothing.
  while (!isOver) {
    await rpc.contacts.tag({ selection: { ids: [] }, set: {}, remove: ['none'] })
    await wait(askEveryMs)
  }
})()
const task = await taskEnd(rpc, taskId)
isOver = true
say(await report(importId, task.state))
process.once('message', () => {
  void (async () => {
    const undo = await taskEnd(rpc, (await rpc.imports.undo({ importId })).taskId)
    say(await report(importId, undo.state))
    await end()
  })()
})
