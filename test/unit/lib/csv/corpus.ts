import { gzipSync } from 'node:zlib'

/** A file as someone could provide it, and the expected result. */
export interface OddFile {
  name: string
  bytes: Buffer
  /** By default `utf-8`, `,` and with a header. */
  format?: { encoding?: string; delimiter?: string; headerRow?: number }
  header?: string[]
  /** The complete rows. */
  rows: string[][]
  /** The rejected rows: number, line, words of the reason. */
  problems?: [rowNumber: number, line: number, why: RegExp][]
  /** The warnings of the detection. */
  warns?: RegExp
}

const unclosed = /quote is never closed/
const stray = /text after a closing quote/
const tooLong = /longer than 1 MiB/
const unreadable = /don’t fit this encoding/

const utf8 = (text: string) => Buffer.from(text)
const withMark = (mark: number[], bytes: Buffer) => Buffer.concat([Buffer.from(mark), bytes])
const utf16le = (text: string) => Buffer.from(text, 'utf16le')
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

const ada = ['Ada', '+491711234567']
const bob = ['Bob', '+491711234568']
const small = 'name,phone\nAda,+491711234567\nBob,+491711234568\n'
const header = ['name', 'phone']
const umlauts = 'name;phone\r\nJörg;+491711234567\r\nZoë;+491711234568\r\nÆsa;+491711234569\r\n'
const umlautRows = [
  ['Jörg', '+491711234567'],
  ['Zoë', '+491711234568'],
  ['Æsa', '+491711234569'],
]
const wide = (cells: number) => Array.from({ length: cells }, (_, at) => `c${at + 1}`)

/** Names whose first non-ASCII letters come late, beyond the part that is sampled. */
const late = (count: number, last: Buffer) =>
  Buffer.concat([
    utf8('name,phone\n'),
    utf8('Ada,+491711234567\n'.repeat(count)),
    last,
    utf8(',+491711234568\n'),
  ])
const lateCount = 20_000

/** Tables in odd formats. */
export const oddFiles: OddFile[] = [
  // Marks and encodings
  { name: 'plain', bytes: utf8(small), header, rows: [ada, bob] },
  { name: 'UTF-8 with a mark', bytes: withMark([0xef, 0xbb, 0xbf], utf8(small)), header, rows: [ada, bob] },
  {
    name: 'UTF-8 with a mark before a quote',
    bytes: withMark([0xef, 0xbb, 0xbf], utf8('"name","phone"\n"Ada","+491711234567"\n')),
    header,
    rows: [ada],
  },
  {
    name: 'two marks, of two programs',
    bytes: withMark([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], utf8(small)),
    header: ['\ufeffname', 'phone'],
    rows: [ada, bob],
  },
  {
    name: 'UTF-16 LE with a mark',
    bytes: withMark([0xff, 0xfe], utf16le(umlauts)),
    format: { encoding: 'utf-16le', delimiter: ';' },
    header,
    rows: umlautRows,
  },
  {
    name: 'UTF-16 BE with a mark',
    bytes: withMark([0xfe, 0xff], utf16be(umlauts)),
    format: { encoding: 'utf-16be', delimiter: ';' },
    header,
    rows: umlautRows,
  },
  {
    name: 'UTF-16 LE without a mark',
    bytes: utf16le(umlauts),
    format: { encoding: 'utf-16le', delimiter: ';' },
    header,
    rows: umlautRows,
  },
  {
    name: 'UTF-16 BE without a mark',
    bytes: utf16be(umlauts),
    format: { encoding: 'utf-16be', delimiter: ';' },
    header,
    rows: umlautRows,
  },
  {
    name: 'UTF-16 with tabs, as Excel saves "Unicode text"',
    bytes: withMark([0xff, 0xfe], utf16le(umlauts.replaceAll(';', '\t'))),
    format: { encoding: 'utf-16le', delimiter: '\t' },
    header,
    rows: umlautRows,
  },
  {
    name: 'UTF-16 LE cut in the middle of a character',
    bytes: withMark([0xff, 0xfe], utf16le('name,phone\nAda,+491711234567\nBob,+49').subarray(0, -1)),
    format: { encoding: 'utf-16le' },
    header,
    rows: [ada],
    problems: [[2, 3, unreadable]],
  },
  {
    name: 'UTF-16 LE with half of a surrogate pair',
    bytes: withMark([0xff, 0xfe], utf16le('name,phone\nAda,+491711234567\nB\ud83db,+491711234568\n')),
    format: { encoding: 'utf-16le' },
    header,
    rows: [ada],
    problems: [[2, 3, unreadable]],
    warns: /don’t fit this encoding/,
  },
  {
    name: 'characters beyond the basic plane in UTF-16 BE',
    bytes: withMark([0xfe, 0xff], utf16be('name,phone\n👩‍🚀 𝒜,+491711234567\n')),
    format: { encoding: 'utf-16be' },
    header,
    rows: [['👩‍🚀 𝒜', '+491711234567']],
  },
  {
    name: 'Windows-1252',
    bytes: latin1(umlauts.replace('Æsa', 'A\u0080B')),
    format: { encoding: 'windows-1252', delimiter: ';' },
    header,
    rows: [umlautRows[0]!, umlautRows[1]!, ['A€B', '+491711234569']],
    warns: /Check that the names look right/,
  },
  {
    name: 'Windows-1252 that shows only far down',
    bytes: late(lateCount, latin1('Jörg')),
    format: { encoding: 'windows-1252' },
    header,
    rows: [...Array<string[]>(lateCount).fill(ada), ['Jörg', '+491711234568']],
  },
  {
    name: 'UTF-8 that shows only far down',
    bytes: late(lateCount, utf8('Jörg')),
    header,
    rows: [...Array<string[]>(lateCount).fill(ada), ['Jörg', '+491711234568']],
  },
  {
    name: 'one byte that is not UTF-8 among many letters that are',
    bytes: bytes(
      'name,phone\nJörg,+491711234567\nB',
      [0xfc],
      'b,+491711234568\nZoë,+491711234569\nÄda,+491711234560\n',
    ),
    header,
    rows: [umlautRows[0]!, ['Zoë', '+491711234569'], ['Äda', '+491711234560']],
    problems: [[2, 3, unreadable]],
    warns: /don’t fit this encoding/,
  },
  {
    name: 'a letter of UTF-8 that was unreadable where the file was written is a letter',
    bytes: utf8('name,phone\nJ\ufffdrg,+491711234567\n'),
    header,
    rows: [['J\ufffdrg', '+491711234567']],
  },
  {
    name: 'UTF-8 that is too long for its letter, and a surrogate in UTF-8',
    bytes: bytes(
      'name,phone\nÄÖÜäöü,+491711234567\nA',
      [0xc0, 0xaf],
      ',+491711234568\nB',
      [0xed, 0xa0, 0x80],
      ',+491711234569\n',
    ),
    header,
    rows: [['ÄÖÜäöü', '+491711234567']],
    problems: [
      [2, 3, unreadable],
      [3, 4, unreadable],
    ],
    warns: /don’t fit this encoding/,
  },
  {
    name: 'UTF-8 cut in the middle of its last character',
    bytes: bytes('name,phone\nÄda,+491711234567\n+491711234568,B', [0xc3]),
    header,
    rows: [['Äda', '+491711234567']],
    problems: [[2, 3, unreadable]],
  },

  // Line ends
  { name: 'CRLF', bytes: utf8(small.replaceAll('\n', '\r\n')), header, rows: [ada, bob] },
  { name: 'CR alone, as old Macs', bytes: utf8(small.replaceAll('\n', '\r')), header, rows: [ada, bob] },
  { name: 'no line end at the end', bytes: utf8(small.slice(0, -1)), header, rows: [ada, bob] },
  { name: 'CR at the very end', bytes: utf8(`${small.slice(0, -1)}\r`), header, rows: [ada, bob] },
  {
    name: 'three kinds of line ends',
    bytes: utf8('name,phone\r\nAda,+491711234567\rBob,+491711234568\nBob,+491711234568'),
    header,
    rows: [ada, bob, bob],
  },
  {
    name: 'LF CR, two line ends',
    bytes: utf8('name,phone\n\rAda,+491711234567\n\rBob,"\n'),
    header,
    rows: [ada],
    problems: [[2, 5, unclosed]],
  },
  {
    name: 'all kinds of line ends within quotes',
    bytes: utf8('name,phone\n"a\nb\rc\r\nd",+491711234567\nBob,+491711234568\n"x,1\n'),
    header,
    rows: [['a\nb\rc\r\nd', '+491711234567'], bob],
    problems: [[3, 7, unclosed]],
  },
  {
    name: 'blank lines before, between and behind',
    bytes: utf8('\n\nname,phone\n\nAda,+491711234567\n   \n\t\nBob,+491711234568\n\n\n"x,1\n\n'),
    header,
    format: { headerRow: 3 },
    rows: [ada, bob],
    problems: [[3, 11, unclosed]],
  },
  {
    name: 'a line separator of Unicode ends no row',
    bytes: utf8('name,phone\nA\u2028d\u0085a\u000b,+491711234567\n'),
    header,
    rows: [['A\u2028d\u0085a\u000b', '+491711234567']],
  },

  // Quotes
  {
    name: 'quotes around everything',
    bytes: utf8('"name","phone"\r\n"Ada","+491711234567"\r\n"Bob","+491711234568"\r\n'),
    header,
    rows: [ada, bob],
  },
  {
    name: 'delimiters, quotes and line ends in quotes',
    bytes: utf8('name,phone\n"Love, ""A""\r\nda",+491711234567\n'),
    header,
    rows: [['Love, "A"\r\nda', '+491711234567']],
  },
  {
    name: 'nothing but quotes in quotes',
    bytes: utf8('name,phone\n"""""",+491711234567\n"",+491711234568\n'),
    header,
    rows: [
      ['""', '+491711234567'],
      ['', '+491711234568'],
    ],
  },
  {
    name: 'a quote in the middle of a cell is a sign like others',
    bytes: utf8('name,phone\nAda 5" L,+491711234567\nB"ob",+491711234568\n'),
    header,
    rows: [
      ['Ada 5" L', '+491711234567'],
      ['B"ob"', '+491711234568'],
    ],
  },
  {
    name: 'spaces around quotes',
    bytes: utf8('name,phone\n "Ada" ,\t"+491711234567"\n"Bob"  ,  "+491711234568"  \n'),
    header,
    rows: [ada, bob],
  },
  {
    name: 'spaces within quotes and without any',
    bytes: utf8('name,phone\n" Ada ", +491711234567 \n'),
    header,
    rows: [[' Ada ', ' +491711234567 ']],
  },
  {
    name: 'text after a closing quote',
    bytes: utf8('name,phone\n"Ada" L,+491711234567\nBob,+491711234568\n"A"d"a",+491711234569\n'),
    header,
    rows: [bob],
    problems: [
      [1, 2, stray],
      [3, 4, stray],
    ],
  },
  {
    name: 'a quote never closed, nothing quoted behind it',
    bytes: utf8('name,phone\n"Ada,+491711234567\nBob,+491711234568\nBob,+491711234568\n'),
    header,
    rows: [bob, bob],
    problems: [[1, 2, unclosed]],
  },
  {
    name: 'a quote never closed before rows that are quoted',
    bytes: utf8(
      '"name","phone"\n"Ada,"+491711234567"\n"Ada","+491711234567\n"Bob","+491711234568"\n"Bob","+491711234568"\n',
    ),
    header,
    rows: [bob, bob],
    problems: [
      [1, 2, stray],
      [2, 3, unclosed],
    ],
    warns: /missing or extra cells/,
  },
  {
    name: 'a quote never closed in every second row',
    bytes: utf8(`name,phone\n${'"Ada,+491711234567\nBob,+491711234568\n'.repeat(50)}`),
    header,
    rows: Array<string[]>(50).fill(bob),
    problems: Array.from({ length: 50 }, (_, at) => [at * 2 + 1, at * 2 + 2, unclosed] as const).map(
      (one) => [...one],
    ),
  },
  {
    name: 'quotes never closed in the last rows',
    bytes: utf8('name,phone\nAda,+491711234567\nBob,"1\nBob,"2\nBob,"3'),
    header,
    rows: [ada],
    problems: [
      [2, 3, unclosed],
      [3, 4, unclosed],
      [4, 5, unclosed],
    ],
  },
  {
    name: 'a lone quote',
    bytes: utf8('name,phone\n"\nAda,+491711234567\n'),
    header,
    rows: [ada],
    problems: [[1, 2, unclosed]],
    warns: /missing or extra cells/,
  },
  {
    name: 'a quoted cell of many lines',
    bytes: utf8(`phone,note\n+491711234567,"${'x\n'.repeat(20_000)}"\n+491711234568,y\n`),
    header: ['phone', 'note'],
    rows: [
      ['+491711234567', 'x\n'.repeat(20_000)],
      ['+491711234568', 'y'],
    ],
  },
  {
    name: 'a quote not closed for longer than any cell',
    bytes: utf8(`name,phone\n"Ada,+491711234567\n${'Bob,+491711234568\n'.repeat(5_000)}`),
    header,
    rows: Array<string[]>(5_000).fill(bob),
    problems: [[1, 2, unclosed]],
  },
  {
    name: 'a quote not closed for longer than any cell, and one far down that would close it',
    bytes: utf8(
      `name,phone\n"Ada,+491711234567\n${'Bob,+491711234568\n'.repeat(5_000)}Pipe 5",+491711234569\n`,
    ),
    header,
    rows: [...Array<string[]>(5_000).fill(bob), ['Pipe 5"', '+491711234569']],
    problems: [[1, 2, unclosed]],
  },
  {
    name: 'single quotes are no quotes',
    bytes: utf8("name,phone\n'Ada,+491711234567\nO'Neill,+491711234568\n"),
    header,
    rows: [
      ["'Ada", '+491711234567'],
      ["O'Neill", '+491711234568'],
    ],
  },
  {
    name: 'typographic quotes are no quotes',
    bytes: utf8('name,phone\n“Ada”,+491711234567\n'),
    header,
    rows: [['“Ada”', '+491711234567']],
  },
  {
    name: 'backslashes escape nothing',
    bytes: utf8('name,phone\n"Ada\\",+491711234567\n"B\\"ob",+491711234568\nBob,+491711234568\n'),
    header,
    rows: [['Ada\\', '+491711234567'], bob],
    problems: [[2, 3, stray]],
  },

  // Delimiters
  {
    name: 'semicolons',
    bytes: utf8('name;phone;price\nAda;+491711234567;1,5\nBob;+491711234568;2,5\n'),
    format: { delimiter: ';' },
    header: ['name', 'phone', 'price'],
    rows: [
      [...ada, '1,5'],
      [...bob, '2,5'],
    ],
  },
  {
    name: 'tabs',
    bytes: utf8('name\tphone\nAda, L\t+491711234567\nBob\t+491711234568\n'),
    format: { delimiter: '\t' },
    header,
    rows: [['Ada, L', '+491711234567'], bob],
  },
  {
    name: 'pipes',
    bytes: utf8('name|phone\nAda|+491711234567\nBob|+491711234568\n'),
    format: { delimiter: '|' },
    header,
    rows: [ada, bob],
  },
  {
    name: 'other delimiters within quotes',
    bytes: utf8('name;phone\n"a,b,c,d";+491711234567\n"a,b,c,d";+491711234568\n'),
    format: { delimiter: ';' },
    header,
    rows: [
      ['a,b,c,d', '+491711234567'],
      ['a,b,c,d', '+491711234568'],
    ],
  },
  {
    name: 'more of another delimiter within quotes than of the one between them',
    bytes: utf8('"name","phone"\n"a;b;c","d;e;f;g"\n"a;b;c","d;e;f;g"\n'),
    header,
    rows: [
      ['a;b;c', 'd;e;f;g'],
      ['a;b;c', 'd;e;f;g'],
    ],
  },
  {
    name: 'a line sep=; before the table',
    bytes: utf8('sep=;\r\nname;phone\r\nAda;+491711234567\r\n"Bob;1\r\n'),
    format: { delimiter: ';' },
    header,
    rows: [ada],
    problems: [[2, 4, unclosed]],
  },
  {
    name: 'a line sep=, and a sign nobody would guess',
    bytes: utf8('"sep=^"\nname^phone\nAda^+491711234567\n'),
    format: { delimiter: '^' },
    header,
    rows: [ada],
  },
  {
    name: 'one column',
    bytes: utf8('phone\n+491711234567\n+491711234568\n'),
    header: ['phone'],
    rows: [['+491711234567'], ['+491711234568']],
  },
  {
    name: 'one column in quotes, some of them empty',
    bytes: utf8('"phone"\n"+491711234567"\n""\n"+491711234568"\n'),
    header: ['phone'],
    rows: [['+491711234567'], [''], ['+491711234568']],
  },

  // Headers
  {
    name: 'no header',
    bytes: utf8('Ada,+491711234567\nBob,+491711234568\n'),
    format: { headerRow: 0 },
    header: ['Column 1', 'Column 2'],
    rows: [ada, bob],
  },
  {
    name: 'headers twice the same',
    bytes: utf8('phone,phone,name\n+491711234567,1,Ada\n'),
    header: ['phone', 'phone', 'name'],
    rows: [['+491711234567', '1', 'Ada']],
    warns: /Duplicate column names/,
  },
  {
    name: 'empty cells in the header',
    bytes: utf8('name,, phone ,\nAda,x,+491711234567,y\n'),
    header: ['name', 'Column 2', ' phone ', 'Column 4'],
    rows: [['Ada', 'x', '+491711234567', 'y']],
  },
  { name: 'only a header', bytes: utf8('name,phone\n'), header, rows: [] },
  {
    name: 'a header of several lines',
    bytes: utf8('"full\nname",phone\nAda,+491711234567\n"x,1\n'),
    header: ['full\nname', 'phone'],
    rows: [ada],
    problems: [[2, 4, unclosed]],
  },
  {
    name: 'a header that a spreadsheet would run, as the export wrote it',
    bytes: utf8('"\'\'=name","phone"\n"Ada","+491711234567"\n'),
    header: ['=name', 'phone'],
    rows: [ada],
  },

  // Shapes
  {
    name: 'rows with too few cells',
    bytes: utf8('name,phone,note\nAda,+491711234567\nBob\n,,\n'),
    header: ['name', 'phone', 'note'],
    rows: [ada, ['Bob'], ['', '', '']],
    warns: /missing or extra cells/,
  },
  {
    name: 'rows with too many cells',
    bytes: utf8('name,phone\nAda,+491711234567,x,y\nBob,+491711234568\n'),
    header: ['name', 'phone', 'Column 3', 'Column 4'],
    rows: [[...ada, 'x', 'y'], bob],
    warns: /missing or extra cells/,
  },
  {
    name: 'a delimiter at the end of each row',
    bytes: utf8('name,phone,\nAda,+491711234567,\nBob,+491711234568,'),
    header: ['name', 'phone', 'Column 3'],
    rows: [
      [...ada, ''],
      [...bob, ''],
    ],
  },
  {
    name: 'rows of delimiters alone, as spreadsheets leave them',
    bytes: utf8('name;phone\nAda;+491711234567\n;\n;\n'),
    format: { delimiter: ';' },
    header,
    rows: [ada, ['', ''], ['', '']],
  },
  {
    name: 'very many columns',
    bytes: utf8(`${wide(400).join(',')}\n${wide(400).join(',')}\n`),
    header: wide(400),
    rows: [wide(400)],
  },
  {
    name: 'one row with far more cells than the others',
    bytes: utf8(`name,phone\nAda,+491711234567\n${'x,'.repeat(10_000)}\nBob,+491711234568\n`),
    header: [...header, ...wide(500).map((_, at) => `Column ${at + 1}`)]
      .slice(0, 500)
      .map((one, at) => (at < 2 ? one : `Column ${at + 1}`)),
    rows: [ada, [...Array<string>(10_000).fill('x'), ''], bob],
    warns: /missing or extra cells/,
  },
  {
    name: 'NULs',
    bytes: utf8('name,phone\nA\0da,+491711234567\nBob,+491711234568\n'),
    header,
    rows: [['A\0da', '+491711234567'], bob],
    warns: /NUL/,
  },
  {
    name: 'control signs, directions and zero-width signs stay',
    bytes: utf8('name,phone\n\u001b[31mA\u202eda\u200b,+491711234567\n'),
    header,
    rows: [['\u001b[31mA\u202eda\u200b', '+491711234567']],
  },

  // Length
  {
    name: 'a line over the row limit',
    bytes: utf8(`name,phone\nAda,+491711234567\n${'x'.repeat(3_000_000)}\nBob,+491711234568\n"x,1\n`),
    header,
    rows: [ada, bob],
    problems: [
      [2, 3, tooLong],
      [4, 5, unclosed],
    ],
  },
  {
    name: 'a line of delimiters over the row limit',
    bytes: utf8(`name,phone\nAda,+491711234567\n${','.repeat(3_000_000)}\r\nBob,+491711234568\r\n"x,1\r\n`),
    header,
    rows: [ada, bob],
    problems: [
      [2, 3, tooLong],
      [4, 5, unclosed],
    ],
  },
  {
    name: 'a line in an unclosed quote over the row limit',
    bytes: utf8(`name,phone\nAda,+491711234567\n"${'x'.repeat(3_000_000)}\nBob,+491711234568\n"x,1\n`),
    header,
    rows: [ada, bob],
    problems: [
      [2, 3, tooLong],
      [4, 5, unclosed],
    ],
  },
  {
    name: 'a last line without an end, over the row limit',
    bytes: utf8(`name,phone\nAda,+491711234567\n${'x'.repeat(2_000_000)}`),
    header,
    rows: [ada],
    problems: [[2, 3, tooLong]],
  },
  {
    name: 'a cell as long as the row limit',
    bytes: utf8(
      `name,phone\n${'x'.repeat(1_048_562)},+491711234567\n${'y'.repeat(1_048_563)},+491711234568\nBob,+491711234568\n`,
    ),
    header,
    rows: [['x'.repeat(1_048_562), '+491711234567'], bob],
    problems: [[2, 3, tooLong]],
  },
]

/** Files that are not tables, despite their names. */
export const notTables: { name: string; bytes: Buffer }[] = [
  {
    name: 'picture.png',
    bytes: Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'),
  },
  { name: 'picture.jpg', bytes: Buffer.from('ffd8ffe000104a46494600010101006000600000', 'hex') },
  { name: 'people.csv.gz', bytes: gzipSync(small) },
  { name: 'people.xlsx', bytes: Buffer.from('504b03041400060008000000210062ee9d685e01', 'hex') },
  { name: 'people.xls', bytes: Buffer.from('d0cf11e0a1b11ae1000000000000000000000000', 'hex') },
  { name: 'people.pdf', bytes: Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n') },
  { name: 'program', bytes: Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(300)]) },
  { name: 'zeros.csv', bytes: Buffer.alloc(10_000) },
  { name: 'UTF-32 LE with a mark', bytes: withMark([0xff, 0xfe, 0, 0], utf32(small, true)) },
  { name: 'UTF-32 BE with a mark', bytes: withMark([0, 0, 0xfe, 0xff], utf32(small, false)) },
  { name: 'UTF-32 LE without a mark', bytes: utf32(small, true) },
  { name: 'UTF-32 BE without a mark', bytes: utf32(small, false) },
]

/** Empty files. */
export const emptyFiles: { name: string; bytes: Buffer }[] = [
  { name: 'nothing', bytes: Buffer.alloc(0) },
  { name: 'only a mark of UTF-8', bytes: Buffer.from([0xef, 0xbb, 0xbf]) },
  { name: 'only a mark of UTF-16', bytes: Buffer.from([0xff, 0xfe]) },
  { name: 'only blank lines', bytes: utf8('\r\n\n\r   \n') },
  { name: 'only sep=', bytes: utf8('sep=;\n') },
]

function utf32(text: string, little: boolean): Buffer {
  const points = [...text]
  const out = Buffer.alloc(points.length * 4)
  for (const [at, char] of points.entries())
    out[little ? 'writeUInt32LE' : 'writeUInt32BE'](char.codePointAt(0)!, at * 4)
  return out
}
