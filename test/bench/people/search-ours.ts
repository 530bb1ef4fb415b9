import { setImmediate, setTimeout } from 'node:timers/promises'
import { createContactStoreClient } from '#electron/core/people/contact-store/contact-store-client.ts'
import { openContactList } from '#electron/core/people/contact-store/contact-list.ts'
import { openReader } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { percentile } from '../figures.ts'
import { createDice } from './make-people.ts'
import { filesIn, log } from './prepare.ts'

interface Figures {
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** The measurements of searching. */
export interface SearchRun extends Figures {
  byLength: (Figures & { length: number; keys: number })[]
  /** Keys of searches for two words or a number with spaces. */
  words: Figures & { keys: number }
  likeP50Ms: number
  /** Answers that were compared with LIKE’s. */
  checked: number
}

const words = 500
const longest = 16
const compared = 60
/** LIKE takes almost a second: every fifth compared answer is compared with it, all with the same search in memory. */
const likeEvery = 5

const figuresOf = (ms: readonly number[]): Figures => ({
  p50Ms: percentile(ms, 0.5),
  p99Ms: percentile(ms, 0.99),
  maxMs: percentile(ms, 1),
})

/** `search-ours.ts <connection's folder>` */
const files = filesIn(process.argv[2]!)
const contactStore = createContactStoreClient({ ...files, clock: systemClock, log })
await contactStore.open()
const list = openContactList(files, contactStore)
const reader = openReader(files.contactsFile)
const dice = createDice(11)

/** Pieces of stored contacts, from any position, and some that match none. */
function makeWords(): string[] {
  const newest = reader.db.prepare<[], number>('SELECT max(id) FROM contacts').pluck().get()!
  const row = reader.db.prepare<[number], { name: string; digits: number; email: string }>(
    'SELECT name, digits, email FROM contacts WHERE id >= ? ORDER BY id LIMIT 1',
  )
  return Array.from({ length: words }, (_, at) => {
    const { name, digits, email } = row.get(1 + dice.roll(newest - 1))!
    const [first, second = first] = name.split(' ')
    const text = dice.of([
      name,
      `${second} ${first}`,
      `${first} ${String(digits).slice(2)}`,
      `+${digits}`,
      String(digits),
      `0${String(digits).slice(2, 5)} ${String(digits).slice(5, 8)} ${String(digits).slice(8)}`,
      email || name,
      `${name}x`,
    ])
    const from = dice.roll(4) === 0 ? dice.roll(Math.max(1, text.length - 3)) : 0
    return at % 25 === 24 ? `qzx${at}` : text.slice(from).trim() || name
  })
}

const sort = { by: 'name', descending: false } as const
const like = reader.db
  .prepare<{ text: string }, number>(
    `SELECT count(*) FROM contacts c JOIN tag_sets t ON t.id = c.tag_set
     WHERE c.name LIKE @text OR '+' || c.digits LIKE @text OR c.email LIKE @text OR t.json LIKE @text`,
  )
  .pluck()

const byLength = new Map<number, number[]>()
const wordsMs: number[] = []
const answers: { text: string; page: Awaited<ReturnType<typeof list.page>> }[] = []
const typed = makeWords()
for (const word of typed.slice(0, 40)) await list.page({ filter: { text: word }, sort, limit: 50 })
// The order of the contacts is loaded.
await setTimeout(2_000)
for (const [at, word] of typed.entries())
  for (let length = 1; length <= Math.min(longest, word.length); length++) {
    const text = word.slice(0, length)
    if (text.trim() === '' || text.trim().length !== length) continue
    // As between two keys: messages of other threads are processed.
    await setImmediate()
    const began = performance.now()
    const page = await list.page({ filter: { text }, sort, limit: 50 })
    const ms = performance.now() - began
    byLength.set(length, [...(byLength.get(length) ?? []), ms])
    if (text.includes(' ')) wordsMs.push(ms)

    const isPlain = /^[\u0020-\u007e]+$/.test(text) && !/[%_="{}:]/.test(text)
    if (at % Math.floor(words / compared) === 0 && length % 3 === 0 && isPlain) answers.push({ text, page })
  }

/** The searched texts of each contact in lower case. Like LIKE, SQLite folds only A to Z. */
const contacts = reader.db
  .prepare<[], string>(
    `SELECT lower(concat_ws(char(10), c.name, '+' || c.digits, c.email, t.json))
     FROM contacts c JOIN tag_sets t ON t.id = c.tag_set`,
  )
  .pluck()
  .all()
const likeMs: number[] = []
for (const [at, { text, page }] of answers.entries()) {
  const count = contacts.filter((contact) => contact.includes(text.toLowerCase())).length
  if (at % likeEvery === 0) {
    const from = performance.now()
    const liked = like.get({ text: `%${text}%` })!
    likeMs.push(performance.now() - from)
    if (liked !== count) throw new Error(`"${text}": ${count} found in memory, LIKE ${liked}`)
  }
  const folded = await contactStore.reads.count({ text })
  // Ours finds é by e, too; never fewer than LIKE.
  if (
    folded < count ||
    (page.count.exact && page.count.value !== folded) ||
    (folded > 0 && page.items.length === 0)
  )
    throw new Error(`"${text}": ${folded} found, page says ${page.count.value}, LIKE ${count}`)
}
reader.close()
list.close()
await contactStore.stop()

process.send!({
  ...figuresOf([...byLength.values()].flat()),
  byLength: [...byLength]
    .sort(([a], [b]) => a - b)
    .map(([length, ms]) => ({ length, keys: ms.length, ...figuresOf(ms) })),
  words: { keys: wordsMs.length, ...figuresOf(wordsMs) },
  likeP50Ms: percentile(likeMs, 0.5),
  checked: answers.length,
} satisfies SearchRun)
