import { digitsOf } from '#contract/number-text.ts'
import type { ContactDetail } from '#contract/people/contacts.ts'
import type { Client } from '../../rpc/rpc.ts'

const pageItems = 500
/** Lists have this much of a text. */
const listTextMax = 2_000
const isCut = ({ content }: { content: string | null }) => (content?.length ?? 0) >= listTextMax

async function everyItem<T, C>(
  read: (cursor: { cursor?: C }) => Promise<{ items: readonly T[]; nextCursor: C | null }>,
): Promise<T[]> {
  const all: T[] = []
  for (let cursor: C | null | undefined; cursor !== null;) {
    const page = await read(cursor === undefined ? {} : { cursor })
    all.push(...page.items)
    cursor = page.nextCursor
  }
  return all
}

/** What this computer stores about a contact and its number, as the JSON file of a data access request. */
export async function personFile(
  { contacts, dnc, events, inbox, outbox }: Pick<Client, 'contacts' | 'dnc' | 'events' | 'inbox' | 'outbox'>,
  { id, phone }: Pick<ContactDetail['contact'], 'id' | 'phone'>,
): Promise<Blob> {
  const sender = digitsOf(phone)
  const isTheirs = (number: string | null) => digitsOf(number ?? '') === sender
  const limit = pageItems
  const rows = await everyItem((cursor: { cursor?: number }) =>
    events.search({ filter: { number: phone }, limit, ...cursor }),
  )
  const theirs = await Promise.all(
    rows
      .filter(({ number }) => isTheirs(number))
      .map(async (row) => (isCut(row) ? (await events.get({ seq: row.seq })).event : row)),
  )
  // Senders write their numbers in many ways; the last digits are always there.
  const ending = sender.slice(-6)
  const held = await Promise.all(
    (['active', 'ended'] as const).map((which) =>
      everyItem((cursor: { cursor?: string }) => dnc.holds({ which, text: ending, limit, ...cursor })),
    ),
  )
  const requests = await everyItem((cursor: { cursor?: number }) =>
    outbox.list({ filter: { text: phone }, limit, ...cursor }),
  )
  const { verdicts } = await dnc.checkOffline({ phones: [phone], region: null })
  const conversation = theirs.some(({ kind }) => kind === 'mo') ? await inbox.get({ sender, limit: 1 }) : null
  const data = {
    exportedAt: new Date().toISOString(),
    contact: await contacts.get({ id }),
    doNotContact: verdicts[0],
    holds: held.flat().filter(({ number }) => isTheirs(number)),
    requests: requests.filter((item) => isTheirs(item.phone)),
    events: theirs,
    conversationNote: conversation?.note ?? '',
  }
  return new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' })
}
