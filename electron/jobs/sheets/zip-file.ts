import { crc32 } from 'node:zlib'
import yauzl, { type Entry } from 'yauzl'
import { unreadableFile } from './unreadable-file.ts'

/** A workbook has a few dozen parts. */
const entriesMax = 10_000
/** Longest part, inflated. A million rows of 100 columns have about 4 GiB. */
const inflatedMax = 8 * 2 ** 30
/** Sheets of one repeated row deflate to a hundredth. A bomb reaches the limit of deflate, a thousandth. */
const ratioMax = 400
const bombFrom = 64 * 2 ** 20

export type ZipFile = Awaited<ReturnType<typeof openZip>>

/** Parts of a ZIP file, each read in pieces and checked against its checksum. IMPORT_FILE_UNREADABLE. */
export async function openZip(file: string) {
  const entries = new Map<string, Entry>()
  const zip = await yauzl.openPromise(file, { autoClose: false }).catch(damaged)
  try {
    for await (const entry of zip.eachEntry()) {
      // Names of parts ignore case. Some Windows programs write backslashes, which yauzl corrects.
      entries.set(entry.fileName.toLowerCase(), entry)
      if (entries.size > entriesMax) throw unreadableFile('bomb')
    }
  } catch (error) {
    zip.close()
    damaged(error)
  }

  const entryOf = (name: string) => entries.get(name.toLowerCase())

  /** The part's bytes; none when the file lacks it. */
  async function* pieces(name: string): AsyncGenerator<Buffer> {
    const entry = entryOf(name)
    if (!entry) return
    if (entry.isEncrypted()) throw unreadableFile('encrypted')
    const { uncompressedSize, compressedSize } = entry
    const isBomb = uncompressedSize > bombFrom && uncompressedSize > compressedSize * ratioMax
    if (isBomb || uncompressedSize > inflatedMax) throw unreadableFile('bomb')
    let sum = 0
    const stream = await zip.openReadStreamPromise(entry).catch(damaged)
    try {
      // More bytes than declared are an error of the stream.
      for await (const piece of stream as AsyncIterable<Buffer>) {
        sum = crc32(piece, sum)
        yield piece
      }
    } catch (error) {
      damaged(error)
    }
    if (sum !== entry.crc32) throw unreadableFile('damaged')
  }

  return {
    has: (name: string) => entryOf(name) !== undefined,
    /** Inflated bytes of a part, as declared; 0 without it. */
    sizeOf: (name: string) => entryOf(name)?.uncompressedSize ?? 0,
    pieces,
    close: () => zip.close(),
  }
}

/** Errors of the disk stay as they are. */
function damaged(error: unknown): never {
  throw error instanceof Error && !('syscall' in error) && !('data' in error)
    ? unreadableFile('damaged')
    : error
}
