import { chromium, type Page } from '@playwright/test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromiumPath } from '../../helpers/chromium.ts'
import { startConsole } from '../../helpers/start-console.ts'
import { openReader } from '#electron/database/open.ts'
import { percentile } from '../figures.ts'
import { numberOf, serveBarePage } from './bare-page.ts'
import { filesIn } from './prepare.ts'

interface Figures {
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Time from a key to the first row of its result, in the document and painted. */
export interface PaintedRun {
  keys: number
  inDocument: Figures
  painted: Figures
}

/** A first row, by its number. */
interface SeenRow {
  atMs: number
  number: string
}

/** What the page records: key presses and first rows, in milliseconds of its clock. */
interface Seen {
  keys: { atMs: number; text: string }[]
  inDocument: SeenRow[]
  painted: SeenRow[]
}

/** Between two keys: a quick typist. */
const keyMs = 150
const typed = 32

/** Beginnings of existing names and numbers. */
function someWords(contactsFile: string): string[] {
  const reader = openReader(contactsFile)
  const rows = reader.db
    .prepare<[number], { name: string; digits: number }>(
      `SELECT name, digits FROM contacts WHERE id % (SELECT max(id) / ? FROM contacts) = 7 AND name <> ''`,
    )
    .all(typed)
  reader.close()
  return rows.map(({ name, digits }, at) => (at % 4 === 3 ? `+${digits}` : name).slice(0, 8).trim())
}

/** Records each change of the search field, and each first row once in the document and once painted. Runs in the page. */
function observe(): void {
  const seen: Seen = { keys: [], inDocument: [], painted: [] }
  Object.assign(window, { seen })
  const field = document.querySelector<HTMLInputElement>('[role=search] input')!
  // Before the field itself receives it.
  document.addEventListener(
    'input',
    () => seen.keys.push({ atMs: performance.now(), text: field.value }),
    true,
  )
  const firstNumber = () =>
    /\+\d+/.exec(
      document.querySelector('[role=grid][aria-label=Contacts] [role=rowgroup] + [role=rowgroup] [role=row]')
        ?.textContent ?? '',
    )?.[0] ?? ''
  const note = (rows: SeenRow[], number: string) => {
    if (rows.at(-1)?.number !== number) rows.push({ atMs: performance.now(), number })
  }
  new MutationObserver(() => {
    note(seen.inDocument, firstNumber())
    requestAnimationFrame(() => {
      const number = firstNumber()
      const channel = new MessageChannel()
      // A task after the frame: the frame is painted.
      channel.port1.onmessage = () => note(seen.painted, number)
      channel.port2.postMessage(null)
    })
  }).observe(document.body, { childList: true, subtree: true, characterData: true })
}

async function type(page: Page, word: string): Promise<void> {
  const field = page.getByRole('search').getByRole('textbox').first()
  await field.fill('')
  await setTimeout(600)
  await field.focus()
  // Key by key: after a letter outside the keyboard layout, text typed at once continues without a pause.
  for (const letter of word) {
    await page.keyboard.type(letter)
    await setTimeout(keyMs)
  }
  await setTimeout(600)
}

/**
 * Types words into a page’s search, and measures each key until its first row shows; `firstNumberOf` gives the number of that row. Keys
 * that do not change the first row are not counted, since their answer can’t be seen.
 */
async function measureKeys(
  page: Page,
  words: readonly string[],
  firstNumberOf: (text: string) => Promise<string> | string,
): Promise<PaintedRun> {
  await type(page, words[0]!)
  await page.evaluate(observe)
  for (const word of words) await type(page, word)
  const { keys, inDocument, painted } = await page.evaluate(() => (window as unknown as { seen: Seen }).seen)
  const times = { inDocument: [] as number[], painted: [] as number[] }
  for (const [at, { atMs, text }] of keys.entries()) {
    const untilMs = keys[at + 1]?.atMs ?? Infinity
    const before = painted.filter((row) => row.atMs < atMs).at(-1)?.number
    const bound = await firstNumberOf(text)
    if (text === '' || bound === before) continue
    const took = (rows: SeenRow[]) => {
      const row = rows.find((one) => one.atMs >= atMs && one.number === bound)
      // Overtaken by the next key: it took at least this long.
      return Math.min(row?.atMs ?? Infinity, untilMs) - atMs
    }
    times.inDocument.push(took(inDocument))
    times.painted.push(took(painted))
  }
  if (!times.painted.every(Number.isFinite)) throw new Error('a key was never answered')
  const figuresOf = (ms: readonly number[]): Figures => ({
    p50Ms: percentile(ms, 0.5),
    p99Ms: percentile(ms, 0.99),
    maxMs: percentile(ms, 1),
  })
  return {
    keys: times.painted.length,
    inDocument: figuresOf(times.inDocument),
    painted: figuresOf(times.painted),
  }
}

/**
 * Types into the search of the Contacts page in a browser, over imported contacts, with the whole console; and into a page without a
 * framework that does as little as possible.
 */
export async function measurePainted(
  connectionFolder: string,
): Promise<{ ours: PaintedRun; bare: PaintedRun }> {
  const words = someWords(filesIn(connectionFolder).contactsFile)
  const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-painted-'))
  try {
    const first = await startConsole({ dataDir })
    const { connection } = await first.rpc.connections.connect({
      name: 'Bench',
      baseUrl: 'http://127.0.0.1:9/v1',
      colour: 'blue',
      production: false,
      evenOffline: true,
      credential: { kind: 'api-key', apiKey: 'none' },
    })
    await first.stop()
    cpSync(connectionFolder, join(dataDir, 'connections', connection.id), { recursive: true })

    await using running = await startConsole({ dataDir })
    await running.rpc.connections.open({ id: connection.id })
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(running.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(`${running.origin}/#/contacts`)
    await page.getByRole('grid', { name: 'Contacts' }).getByText('+').first().waitFor()
    // The order of the contacts is loaded.
    await setTimeout(4_000)
    const sort = { by: 'name', descending: false } as const
    const ours = await measureKeys(page, words, async (text) => {
      const { items } = await running.rpc.contacts.list({ filter: { text }, sort, limit: 1 })
      return items[0]?.phone ?? ''
    })
    await page.close()

    const server = await serveBarePage()
    const barePage = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await barePage.goto(server.url)
    await barePage.getByRole('row').first().waitFor()
    const bare = await measureKeys(barePage, words, numberOf)
    await browser.close()
    server.stop()
    return { ours, bare }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
