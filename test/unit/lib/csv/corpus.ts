import { gzipSync } from 'node:zlib'

/** A file as someone could provide it, and the expected result. */
export interface OddFile {
  name: string
  bytes: Buffer
  /** By default `utf-8`, `,` and with a header. */
  format?: { encoding?: string; delimiter?: string; headerRow?: number }
  header: string[]
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
const uneven = /missing or extra cells/

const utf16le = (text: string) => Buffer.from(text, 'utf16le')
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const bytes = (...parts: (string | number[] | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
const utf8Mark = [0xef, 0xbb, 0xbf]
const leMark = [0xff, 0xfe]
const beMark = [0xfe, 0xff]

/** A file in UTF-8 with commas and these columns, unless `more` says otherwise. */
const odd = (
  name: string,
  file: string | Buffer,
  rows: string[][],
  more: Partial<Omit<OddFile, 'name' | 'bytes' | 'rows'>> = {},
): OddFile => ({ name, bytes: Buffer.from(file), header: ['name', 'phone'], rows, ...more })

const numbers = ['+491711234567', '+491711234568', '+491711234569'] as const
/** A row for each name, with these numbers. */
const named = (...names: string[]) => names.map((name, at) => [name, numbers[at]!])
const [ada, bob] = named('Ada', 'Bob') as [string[], string[]]
const small = 'name,phone\nAda,+491711234567\nBob,+491711234568\n'
const umlauts = 'name;phone\r\nJörg;+491711234567\r\nZoë;+491711234568\r\nÆsa;+491711234569\r\n'
const umlautRows = named('Jörg', 'Zoë', 'Æsa')
const columns = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `Column ${from + at}`)
const semicolons = { delimiter: ';' }
const [le, be] = ['utf-16le', 'utf-16be'].map((encoding) => ({ format: { encoding, ...semicolons } }))

/** Names whose first non-ASCII letters come late, beyond the part that is sampled. */
const late = (last: Buffer) =>
  bytes('name,phone\n', 'Ada,+491711234567\n'.repeat(lateCount), last, ',+491711234568\n')
const lateCount = 20_000
const lateRows = [...Array<string[]>(lateCount).fill(ada), ['Jörg', '+491711234568']]

/** Tables in odd formats. */
export const oddFiles: OddFile[] = [
  // Marks and encodings
  odd('plain', small, [ada, bob]),
  odd('UTF-8 with a mark', bytes(utf8Mark, small), [ada, bob]),
  odd('two marks, of two programs', bytes([...utf8Mark, ...utf8Mark], small), [ada, bob], {
    header: ['\ufeffname', 'phone'],
  }),
  odd('UTF-16 LE with a mark', bytes(leMark, utf16le(umlauts)), umlautRows, le),
  odd('UTF-16 BE with a mark', bytes(beMark, utf16be(umlauts)), umlautRows, be),
  odd('UTF-16 LE without a mark', utf16le(umlauts), umlautRows, le),
  odd('UTF-16 BE without a mark', utf16be(umlauts), umlautRows, be),
  odd(
    'UTF-16 BE in Cyrillic without a mark',
    utf16be('имя;телефон\nАнна Примерова;+491711234567\n'),
    named('Анна Примерова'),
    { ...be, header: ['имя', 'телефон'] },
  ),
  odd(
    'UTF-16 LE cut in the middle of a character',
    bytes(leMark, utf16le('name,phone\nAda,+491711234567\nBob,+49').subarray(0, -1)),
    [ada],
    { format: { encoding: 'utf-16le' }, problems: [[2, 3, unreadable]] },
  ),
  odd(
    'UTF-16 LE with half of a surrogate pair',
    bytes(leMark, utf16le('name,phone\nAda,+491711234567\nB\ud83db,+491711234568\n')),
    [ada],
    { format: { encoding: 'utf-16le' }, problems: [[2, 3, unreadable]], warns: unreadable },
  ),
  odd('Windows-1252', latin1(umlauts.replace('Æsa', 'A\u0080B')), named('Jörg', 'Zoë', 'A€B'), {
    format: { encoding: 'windows-1252', ...semicolons },
  }),
  odd('Windows-1252 that begins like a mark of UTF-8', latin1(`ï${umlauts}`), umlautRows, {
    format: { encoding: 'windows-1252', ...semicolons },
    header: ['ïname', 'phone'],
  }),
  odd('Windows-1252 that shows only far down', late(latin1('Jörg')), lateRows, {
    format: { encoding: 'windows-1252' },
  }),
  odd(
    'one byte that is not UTF-8 among many letters that are',
    bytes(
      'name,phone\nJörg,+491711234567\nB',
      [0xfc],
      'b,+491711234568\nZoë,+491711234569\nÄda,+491711234560\n',
    ),
    [umlautRows[0]!, ['Zoë', '+491711234569'], ['Äda', '+491711234560']],
    { problems: [[2, 3, unreadable]], warns: unreadable },
  ),
  odd(
    'a letter of UTF-8 that was unreadable where the file was written is a letter',
    'name,phone\nJ\ufffdrg,+491711234567\n',
    named('J\ufffdrg'),
  ),
  odd(
    'UTF-8 that is too long for its letter, and a surrogate in UTF-8',
    bytes(
      'name,phone\nÄÖÜäöü,+491711234567\nA',
      [0xc0, 0xaf],
      ',+491711234568\nB',
      [0xed, 0xa0, 0x80],
      ',+491711234569\n',
    ),
    named('ÄÖÜäöü'),
    {
      problems: [
        [2, 3, unreadable],
        [3, 4, unreadable],
      ],
      warns: unreadable,
    },
  ),
  odd(
    'UTF-8 cut in the middle of its last character',
    bytes('name,phone\nÄda,+491711234567\n+491711234568,B', [0xc3]),
    named('Äda'),
    { problems: [[2, 3, unreadable]] },
  ),

  // Line ends
  odd('CRLF', small.replaceAll('\n', '\r\n'), [ada, bob]),
  odd('CR alone, as old Macs', small.replaceAll('\n', '\r'), [ada, bob]),
  odd('no line end at the end', small.slice(0, -1), [ada, bob]),
  odd('CR at the very end', `${small.slice(0, -1)}\r`, [ada, bob]),
  odd('LF CR, two line ends', 'name,phone\n\rAda,+491711234567\n\rBob,"\n', [ada], {
    problems: [[2, 5, unclosed]],
  }),
  odd(
    'all kinds of line ends within quotes',
    'name,phone\n"a\nb\rc\r\nd",+491711234567\nBob,+491711234568\n"x,1\n',
    [['a\nb\rc\r\nd', '+491711234567'], bob],
    { problems: [[3, 7, unclosed]] },
  ),
  odd(
    'blank lines before, between and behind',
    '\n\nname,phone\n\nAda,+491711234567\n   \n\t\nBob,+491711234568\n\n\n"x,1\n\n',
    [ada, bob],
    { format: { headerRow: 3 }, problems: [[3, 11, unclosed]] },
  ),
  odd(
    'a line separator of Unicode ends no row',
    'name,phone\nA\u2028d\u0085a\u000b,+491711234567\n',
    named('A\u2028d\u0085a\u000b'),
  ),

  // Quotes
  odd('quotes around everything', '"name","phone"\r\n"Ada","+491711234567"\r\n"Bob","+491711234568"\r\n', [
    ada,
    bob,
  ]),
  odd(
    'delimiters, quotes and line ends in quotes',
    'name,phone\n"Love, ""A""\r\nda",+491711234567\n',
    named('Love, "A"\r\nda'),
  ),
  odd(
    'a quote in the middle of a cell is a sign like others',
    'name,phone\nAda 5" L,+491711234567\nB"ob",+491711234568\n',
    named('Ada 5" L', 'B"ob"'),
  ),
  odd('spaces around quotes', 'name,phone\n "Ada" ,\t"+491711234567"\n"Bob"  ,  "+491711234568"  \n', [
    ada,
    bob,
  ]),
  odd('formulas that keep a text', 'name,phone\nAda,="+49 171 1234567"\nBob,="+491711234568"\n', [
    ['Ada', '="+49 171 1234567"'],
    ['Bob', '="+491711234568"'],
  ]),
  odd(
    'text after a closing quote',
    'name,phone\n"Ada" L,+491711234567\nBob,+491711234568\n"A"d"a",+491711234569\n',
    [bob],
    {
      problems: [
        [1, 2, stray],
        [3, 4, stray],
      ],
    },
  ),
  odd(
    'a quote never closed, nothing quoted behind it',
    'name,phone\n"Ada,+491711234567\nBob,+491711234568\nBob,+491711234568\n',
    [bob, bob],
    { problems: [[1, 2, unclosed]] },
  ),
  odd(
    'a quote never closed before rows that are quoted',
    '"name","phone"\n"Ada,"+491711234567"\n"Ada","+491711234567\n"Bob","+491711234568"\n"Bob","+491711234568"\n',
    [bob, bob],
    {
      problems: [
        [1, 2, stray],
        [2, 3, unclosed],
      ],
      warns: uneven,
    },
  ),
  odd('a row in quotes among rows without', 'name,phone\nAda,+491711234567\n"Bob,+491711234568"\n', [
    ada,
    bob,
  ]),
  odd(
    'titles without one for the row names, as R writes',
    '"name","phone"\n"1","Ada","+491711234567"\n"2","Bob","+491711234568"\n',
    [
      ['1', ...ada],
      ['2', ...bob],
    ],
    { header: ['Column 1', 'name', 'phone'] },
  ),
  odd(
    'a delimiter behind each row, but not behind the titles',
    'name,mobile,phone\nAda,,+491711234567,\nBob,,+491711234568,\n',
    [
      ['Ada', '', '+491711234567', ''],
      ['Bob', '', '+491711234568', ''],
    ],
    { header: ['name', 'mobile', 'phone', 'Column 4'] },
  ),
  odd('a lone quote', 'name,phone\n"\nAda,+491711234567\n', [ada], {
    problems: [[1, 2, unclosed]],
    warns: uneven,
  }),
  odd(
    'a quoted cell of many lines',
    `name,phone\n"${'x\n'.repeat(20_000)}",+491711234567\ny,+491711234568\n`,
    named('x\n'.repeat(20_000), 'y'),
  ),
  odd(
    'a quote not closed for longer than any cell, and one far down that would close it',
    `name,phone\n"Ada,+491711234567\n${'Bob,+491711234568\n'.repeat(5_000)}Pipe 5",+491711234569\n`,
    [...Array<string[]>(5_000).fill(bob), ['Pipe 5"', '+491711234569']],
    { problems: [[1, 2, unclosed]] },
  ),
  odd(
    'single quotes are no quotes',
    "name,phone\n'Ada,+491711234567\nO'Neill,+491711234568\n",
    named("'Ada", "O'Neill"),
  ),
  odd(
    'backslashes escape nothing',
    'name,phone\n"Ada\\",+491711234567\n"B\\"ob",+491711234568\nBob,+491711234568\n',
    [['Ada\\', '+491711234567'], bob],
    { problems: [[2, 3, stray]] },
  ),

  // Delimiters
  odd(
    'semicolons',
    'name;phone;price\nAda;+491711234567;1,5\nBob;+491711234568;2,5\n',
    [
      [...ada, '1,5'],
      [...bob, '2,5'],
    ],
    {
      format: semicolons,
      header: ['name', 'phone', 'price'],
    },
  ),
  odd('tabs', 'name\tphone\nAda, L\t+491711234567\nBob\t+491711234568\n', named('Ada, L', 'Bob'), {
    format: { delimiter: '\t' },
  }),
  odd('pipes', 'name|phone\nAda|+491711234567\nBob|+491711234568\n', [ada, bob], {
    format: { delimiter: '|' },
  }),
  odd('tildes', 'name~phone\nAda, L~+491711234567\nBob~+491711234568\n', named('Ada, L', 'Bob'), {
    format: { delimiter: '~' },
  }),
  odd(
    'colons',
    'name:phone:sms\nAda:+491711234567:ja\nBob:+491711234568:nein\n',
    [
      [...ada, 'ja'],
      [...bob, 'nein'],
    ],
    { format: { delimiter: ':' }, header: ['name', 'phone', 'sms'] },
  ),
  odd(
    'colons in a long file',
    `name:phone:sms\n${'Ada:+491711234567:ja\n'.repeat(4_000)}`,
    Array<string[]>(4_000).fill([...ada, 'ja']),
    { format: { delimiter: ':' }, header: ['name', 'phone', 'sms'] },
  ),
  odd(
    'more of another delimiter within quotes than of the one between them',
    '"name","phone"\n"a;b;c","d;e;f;g"\n"a;b;c","d;e;f;g"\n',
    Array<string[]>(2).fill(['a;b;c', 'd;e;f;g']),
  ),
  odd('a line sep=; before the table', 'sep=;\r\nname;phone\r\nAda;+491711234567\r\n"Bob;1\r\n', [ada], {
    format: semicolons,
    problems: [[2, 4, unclosed]],
  }),
  odd('a line sep=, and a sign nobody would guess', '"sep=^"\nname^phone\nAda^+491711234567\n', [ada], {
    format: { delimiter: '^' },
  }),
  odd('one column', 'phone\n+491711234567\n+491711234568\n', [['+491711234567'], ['+491711234568']], {
    header: ['phone'],
  }),
  odd(
    'one column in quotes, some of them empty',
    '"phone"\n"+491711234567"\n""\n"+491711234568"\n',
    [['+491711234567'], [''], ['+491711234568']],
    { header: ['phone'] },
  ),

  // Headers
  odd('no header', 'Ada,+491711234567\nBob,+491711234568\n', [ada, bob], {
    format: { headerRow: 0 },
    header: columns(1, 2),
  }),
  odd('headers twice the same', 'phone,phone,name\n+491711234567,1,Ada\n', [['+491711234567', '1', 'Ada']], {
    header: ['phone', 'phone', 'name'],
    warns: /Duplicate column names/,
  }),
  odd(
    'empty cells in the header',
    'name,, phone ,\nAda,x,+491711234567,y\n',
    [['Ada', 'x', '+491711234567', 'y']],
    {
      header: ['name', 'Column 2', ' phone ', 'Column 4'],
    },
  ),
  odd('only a header', 'name,phone\n', []),
  odd('a header of several lines', '"full\nname",phone\nAda,+491711234567\n"x,1\n', [ada], {
    header: ['full\nname', 'phone'],
    problems: [[2, 4, unclosed]],
  }),
  odd(
    'a header that a spreadsheet would run, as the export wrote it',
    '"\'\'=name","phone"\n"Ada","+491711234567"\n',
    [ada],
    { header: ['=name', 'phone'] },
  ),

  // Shapes
  odd(
    'rows with too few cells',
    'name,phone,note\nAda,+491711234567\nBob\n,,\n',
    [ada, ['Bob'], ['', '', '']],
    {
      header: ['name', 'phone', 'note'],
      warns: uneven,
    },
  ),
  odd(
    'rows with too many cells',
    'name,phone\nAda,+491711234567,x,y\nBob,+491711234568\n',
    [[...ada, 'x', 'y'], bob],
    { header: ['name', 'phone', ...columns(3, 4)], warns: uneven },
  ),
  odd(
    'a delimiter at the end of each row',
    'name,phone,\nAda,+491711234567,\nBob,+491711234568,',
    [
      [...ada, ''],
      [...bob, ''],
    ],
    { header: ['name', 'phone', 'Column 3'] },
  ),
  odd(
    'rows of delimiters alone, as spreadsheets leave them',
    'name;phone\nAda;+491711234567\n;\n;\n',
    [ada, ['', ''], ['', '']],
    { format: semicolons },
  ),
  odd(
    'one row with far more cells than the others',
    `name,phone\nAda,+491711234567\n${'x,'.repeat(10_000)}\nBob,+491711234568\n`,
    [ada, [...Array<string>(10_000).fill('x'), ''], bob],
    { header: ['name', 'phone', ...columns(3, 500)], warns: uneven },
  ),
  odd('NULs', 'name,phone\nA\0da,+491711234567\nBob,+491711234568\n', named('A\0da', 'Bob'), {
    warns: /NUL/,
  }),
  odd('a last block filled up with NULs', `${small}${'\0'.repeat(300)}`, [ada, bob, ['\0'.repeat(300)]], {
    warns: /extra cells.*NUL/,
  }),

  // Length
  ...Object.entries({
    'a line': `${'x'.repeat(3_000_000)}\n`,
    'a line of delimiters': `${','.repeat(3_000_000)}\r\n`,
    'a line in an unclosed quote': `"${'x'.repeat(3_000_000)}\n`,
  }).map(([what, line]) =>
    odd(
      `${what} over the row limit`,
      `name,phone\nAda,+491711234567\n${line}Bob,+491711234568\n"x,1\n`,
      [ada, bob],
      {
        problems: [
          [2, 3, tooLong],
          [4, 5, unclosed],
        ],
      },
    ),
  ),
  odd(
    'a cell as long as the row limit',
    `name,phone\n${'x'.repeat(1_048_562)},+491711234567\n${'y'.repeat(1_048_563)},+491711234568\nBob,+491711234568\n`,
    [['x'.repeat(1_048_562), '+491711234567'], bob],
    { problems: [[2, 3, tooLong]] },
  ),
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
  { name: 'program', bytes: bytes([0x7f, 0x45, 0x4c, 0x46], Buffer.alloc(300)) },
  { name: 'zeros.csv', bytes: Buffer.alloc(10_000) },
  { name: 'UTF-32 LE with a mark', bytes: bytes([0xff, 0xfe, 0, 0], utf32(small, true)) },
  { name: 'UTF-32 BE with a mark', bytes: bytes([0, 0, 0xfe, 0xff], utf32(small, false)) },
  { name: 'UTF-32 LE without a mark', bytes: utf32(small, true) },
  { name: 'UTF-32 BE without a mark', bytes: utf32(small, false) },
]

/** Empty files. */
export const emptyFiles: { name: string; bytes: Buffer }[] = [
  { name: 'nothing', bytes: Buffer.alloc(0) },
  { name: 'only a mark of UTF-8', bytes: Buffer.from(utf8Mark) },
  { name: 'only a mark of UTF-16', bytes: Buffer.from(leMark) },
  { name: 'only blank lines', bytes: Buffer.from('\r\n\n\r   \n') },
  { name: 'only sep=', bytes: Buffer.from('sep=;\n') },
]

function utf32(text: string, little: boolean): Buffer {
  const points = [...text]
  const out = Buffer.alloc(points.length * 4)
  for (const [at, char] of points.entries())
    out[little ? 'writeUInt32LE' : 'writeUInt32BE'](char.codePointAt(0)!, at * 4)
  return out
}
