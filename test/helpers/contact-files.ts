import type { ContactFilter, ContactSelection } from '#contract/people/contacts.ts'
import type { ImportChoices, ImportRow } from '#contract/people/imports.ts'
import type { OpenedTable } from '#contract/people/sheets.ts'
import { pieceBytes } from '#contract/limits.ts'
import type { Rpc } from './start-core.ts'
import { taskEnd } from './wait-for.ts'

/** Choices that most imports in tests share. */
export const usualChoices = {
  hasCountryCodes: false,
  severalNumbers: 'reject',
  extensions: 'reject',
  unknownNumbers: 'reject',
  duplicatesInFile: 'keep-first',
  duplicatesInContacts: 'skip',
  dncHits: 'import-marked',
  badEmails: 'reject',
  badTags: 'reject',
  tagCommas: 'reject',
  extraTags: {},
  consent: [],
} as const satisfies Partial<ImportChoices>

export const everyone: ContactSelection = { filter: {}, exceptIds: [] }

/** Uploads a file as the page does. @returns its ID. */
export async function upload(
  rpc: { files: Pick<Rpc['files'], 'begin' | 'append'> },
  name: string,
  content: string | Buffer,
): Promise<string> {
  const bytes = Buffer.from(content)
  const { fileId } = await rpc.files.begin({ name, sizeBytes: bytes.length })
  for (let offset = 0; offset < bytes.length; offset += pieceBytes)
    await rpc.files.append({
      fileId,
      offset,
      base64: bytes.subarray(offset, offset + pieceBytes).toString('base64'),
    })
  return fileId
}

/** Downloads a file that a task wrote. */
export async function download(rpc: Rpc, fileId: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let offset = 0; ;) {
    const { base64, endOfFile } = await rpc.files.read({ fileId, offset })
    const piece = Buffer.from(base64, 'base64')
    pieces.push(piece)
    offset += piece.length
    if (endOfFile) return Buffer.concat(pieces)
  }
}

/** A file that the core wrote, as text. */
export const textOf = async (rpc: Rpc, fileId: string) => (await download(rpc, fileId)).toString()

/** The file that a task wrote, as text. */
export const savedBy = async (rpc: Rpc, { taskId }: { taskId: string }) =>
  textOf(rpc, (await taskEnd(rpc, taskId)).refId!)

/** Opens an uploaded workbook or another file as a table; without choices as the page does first. */
export async function openTable(
  rpc: Rpc,
  fileId: string,
  choices: { sheet?: number; isTogether?: boolean } = {},
): Promise<OpenedTable> {
  for await (const step of await rpc.sheets.open({ fileId, ...choices }))
    if (step.kind === 'table') return step
  throw new Error('The call ended without a table')
}

/** Inspects a file and uses its guesses for an import, with some changes. */
export async function choicesFor(rpc: Rpc, fileId: string, change: Partial<ImportChoices> = {}) {
  const { importId, format, guesses, former } = await rpc.imports.inspect({ fileId })
  const choices: ImportChoices = {
    format,
    columns: former?.columns ?? guesses,
    defaultRegion: 'DE',
    ...usualChoices,
    ...change,
  }
  return { importId, choices }
}

/** Imports a whole file. @returns the import's record and the finished task. */
export async function importFile(
  rpc: Rpc,
  name: string,
  content: string | Buffer,
  change: Partial<ImportChoices> = {},
) {
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, name, content), change)
  const { taskId } = await rpc.imports.start({ importId, choices })
  const task = await taskEnd(rpc, taskId)
  return { importId, choices, task, record: await rpc.imports.get({ importId }) }
}

/** Every contact of a filter, by number. */
export async function allContacts(rpc: Rpc, filter: ContactFilter = {}) {
  const sort = { by: 'phone', descending: false } as const
  const first = await rpc.contacts.list({ filter, sort, limit: 500 })
  const items = [...first.items]
  for (let cursor = first.nextCursor; cursor !== null;) {
    const page = await rpc.contacts.list({ filter, sort, limit: 500, cursor })
    items.push(...page.items)
    cursor = page.nextCursor
  }
  return items
}

/** Every row that an import rejected or skipped, page by page. */
export async function rejectedRows(rpc: Rpc, importId: string, limit = 500): Promise<ImportRow[]> {
  const rows: ImportRow[] = []
  for (let cursor: string | null = '0'; cursor !== null;) {
    const page: Awaited<ReturnType<Rpc['imports']['rejected']>> = await rpc.imports.rejected({
      importId,
      limit,
      cursor,
    })
    rows.push(...page.items)
    cursor = page.nextCursor
  }
  return rows
}
