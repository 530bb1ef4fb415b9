import type { ImportChoices, ImportCounts, ImportRecord, ImportRow } from '#contract/people/imports.ts'
import { AppError } from '#contract/errors.ts'
import type { Script } from './script.ts'
import { ago, dayMs, minuteMs } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

const counts: ImportCounts = {
  rows: 1_000,
  new: 812,
  update: 94,
  unchanged: 20,
  duplicateInFile: 31,
  duplicateInContacts: 0,
  dnc: 12,
  invalid: 31,
  marked: 9,
  partial: 0,
  nameless: 0,
  problems: { 'number-short': 28, email: 3 },
}

/** The choices for an ordinary file. */
export const ordinaryChoices: ImportChoices = {
  format: { encoding: 'utf-8', delimiter: ';', headerRow: 1 },
  columns: [{ to: 'name' }, { to: 'phone' }, { to: 'email' }, { to: 'tag', tagKey: 'city' }],
  defaultRegion: 'DE',
  hasCountryCodes: false,
  severalNumbers: 'reject',
  extensions: 'reject',
  unknownNumbers: 'reject',
  duplicatesInFile: 'keep-first',
  duplicatesInContacts: 'update',
  dncHits: 'import-marked',
  badEmails: 'reject',
  badTags: 'reject',
  tagCommas: 'reject',
  extraTags: {},
  consent: [],
}

/** A finished import with these members replaced. */
export function anImport(of: Partial<ImportRecord> & Pick<ImportRecord, 'id'>): ImportRecord {
  return {
    fileName: 'autumn-contacts.csv',
    sizeBytes: 61_204,
    state: 'done',
    choices: ordinaryChoices,
    counts,
    taskId: 't-import',
    problem: null,
    startedAt: ago(20 * minuteMs),
    endedAt: ago(19 * minuteMs),
    held: 0,
    canUndo: true,
    undoNote: null,
    keptAny: false,
    ...of,
  }
}

/** A row of an imported file. The header is its first line. */
export const anImportRow = (rowNumber: number, of: Partial<ImportRow> = {}): ImportRow => ({
  rowNumber,
  sheetRow: rowNumber + 1,
  line: rowNumber + 1,
  cells: ['Ada', '12', 'ada@example.org', 'London'],
  phone: null,
  name: 'Ada',
  outcome: 'invalid',
  reason: 'Invalid number “12”: it is too short.',
  ...of,
})
const ada: Partial<ImportRow> = {
  cells: ['Ada', '+44 20 7946 0000', 'ada@example.org', 'London'],
  phone: '+442079460000',
  outcome: 'new',
  reason: null,
}
const short = anImportRow(7)
const twice: Partial<ImportRow> = {
  cells: ['Grace', '0171 1234567', '', 'Berlin'],
  phone: '+491711234567',
  name: 'Grace',
  outcome: 'duplicate-in-file',
  reason: 'Duplicate of an earlier row.',
}

/** As many rows of each rejected kind as the counts say. */
const manyRejected = Array.from({ length: 74 }, (_, at) =>
  anImportRow(7 + at * 12, at % 2 === 0 ? {} : twice),
)

/** Answers of the import wizard: every file looks like the same small table, and its import ends at once. */
export function scriptedImports(tasks: ScriptedTasks): Script['imports'] {
  const records = [
    anImport({ id: 'i-1' }),
    anImport({
      id: 'i-0',
      fileName: 'spring.csv',
      state: 'undone',
      canUndo: false,
      startedAt: ago(90 * dayMs),
    }),
  ]
  return {
    inspect: ({ format }) => {
      return {
        importId: 'i-2',
        format: { ...ordinaryChoices.format, ...clean(format) },
        header: ['Name', 'Mobile', 'E-mail', 'City'],
        guesses: ordinaryChoices.columns,
        former: null,
        consent: [],
        sample: [
          ['Ada', '+44 20 7946 0000', 'ada@example.org', 'London'],
          ['Grace', '0171 1234567', '', 'Berlin'],
        ],
        warnings: ['2 rows have fewer cells than the header.'],
        sizeBytes: 61_204,
      }
    },
    consent: () => ({ items: [] }),
    guessReading: () => ({
      reading: { region: 'DE', hasCountryCodes: false },
      choices: [],
      numbers: 1_000,
      valid: 912,
    }),
    preview: ({ choices: { badEmails, defaultRegion } }) => ({
      counts: {
        ...counts,
        nameless: 40,
        problems: {
          'number-short': 28,
          email: 3,
          ...(defaultRegion === 'DE' ? { 'number-two-ways': 120 } : {}),
        },
        ...(badEmails === 'leave-out' ? { invalid: 28, new: 815, partial: 3 } : {}),
      },
      samples: [
        { outcome: 'invalid', rows: [short] },
        { outcome: 'duplicate-in-file', rows: [anImportRow(19, twice)] },
        { outcome: 'new', rows: [anImportRow(1, ada)] },
      ],
      problems: [
        { problem: 'number-short', rows: [short] },
        {
          problem: 'email',
          rows: [
            anImportRow(2, {
              ...twice,
              reason: 'Imported in part: The email “grace@” is invalid.',
              outcome: 'new',
            }),
          ],
        },
      ],
      consent: [],
      toHold: 0,
      heldBefore: 0,
      unreadRefusals: 0,
      dncList: { state: 'fresh', asOf: ago(0), teamReadAt: null, waits: null },
      asOf: ago(0),
    }),
    start: () => tasks.finish({ kind: 'import', subject: 'people.csv', refId: 'i-2' }),
    list: () => ({ items: records, nextCursor: null }),
    get: ({ importId }) => {
      const found = [...records, anImport({ id: 'i-2' })].find(({ id }) => id === importId)
      if (!found) throw new AppError('NOT_FOUND', { what: 'This import' })
      return found
    },
    rejected: ({ only }) => ({
      items: manyRejected.filter(
        ({ outcome }) => only === undefined || outcome === (only === 'number-short' ? 'invalid' : only),
      ),
      nextCursor: null,
      total: manyRejected.length,
    }),
    exportRejected: () => tasks.finish({ kind: 'export', subject: 'Rejected rows', refId: 'file-export' }),
    undo: ({ importId }) =>
      tasks.finish({ kind: 'import-undo', subject: 'autumn-contacts.csv', refId: importId }),
  }
}

/** Without the members that are undefined. */
function clean<T extends object>(of: T | undefined): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(of ?? {}).filter(([, value]) => value !== undefined)) as never
}
