import { crc32, deflateRawSync } from 'node:zlib'

/** A ZIP file with these parts, deflated and executable. `declared` replaces the inflated size of a part in the file's records. */
export function zipOf(
  parts: Readonly<Record<string, string | Buffer>>,
  declared: Readonly<Record<string, number>> = {},
): Buffer {
  const locals: Buffer[] = []
  const records: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content)
    const deflated = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(deflated.length, 14)
    common.writeUInt32LE(declared[name] ?? bytes.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), deflated])
    const rest = Buffer.alloc(14)
    // Made on Unix, as an executable file.
    rest.writeUInt32LE((0o100755 << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    records.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0003'), common, rest, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(records)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(records.length, 4)
  end.writeUInt16LE(records.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end])
}

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`
const relations = (...all: string[]) => `<Relationships>${all.join('')}</Relationships>`

/** The parts of a workbook with one sheet per entry: the XML within its `sheetData`. */
export function workbookParts(
  sheets: Readonly<Record<string, string>>,
  { strings = '', styles = '' }: { strings?: string; styles?: string } = {},
): Record<string, string> {
  const names = Object.keys(sheets)
  return {
    '_rels/.rels': relations(relation('rId1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${names
      .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...names.map((_, at) => relation(`s${at}`, 'worksheet', `worksheets/sheet${at}.xml`)),
      relation('strings', 'sharedStrings', '/xl/sharedStrings.xml'),
      relation('styles', 'styles', 'styles.xml'),
    ),
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at}.xml`,
        `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
  }
}
