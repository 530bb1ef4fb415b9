import { unreadableFile } from './unreadable-file.ts'

const firstPageBytes = 1 << 20
/** Above the largest size that glibc keeps for later, so that memory returns to the system when the job ends. */
const pageBytes = 40 << 20
/** A million rows of ten different texts have about 200 MB. */
const usualMax = 2 ** 30

/**
 * Strings as UTF-8 in pages. A million of them take a third of the memory that JavaScript strings do, which may also keep the text alive
 * from which they were cut. Above `bytesMax` throws IMPORT_FILE_UNREADABLE.
 */
export function createStringTable(bytesMax = usualMax) {
  const pages: Buffer[] = []
  let page = Buffer.alloc(0)
  let end = 0
  /** Page, start and end of each string. */
  let places = new Uint32Array(3 << 10)
  let count = 0
  let bytes = 0

  return {
    add(text: string): void {
      const mostBytes = text.length * 3
      if (pages.length === 0 || end + mostBytes > page.length) {
        page = Buffer.allocUnsafe(Math.max(pages.length === 0 ? firstPageBytes : pageBytes, mostBytes))
        pages.push(page)
        end = 0
      }
      const start = end
      end += page.write(text, start)
      bytes += end - start + 3 * places.BYTES_PER_ELEMENT
      if (bytes > bytesMax) throw unreadableFile('bomb')
      if (count * 3 === places.length) {
        const wider = new Uint32Array(places.length * 2)
        wider.set(places)
        places = wider
      }
      places.set([pages.length - 1, start, end], count++ * 3)
    },
    /** Undefined when there is none. */
    get(at: number): string | undefined {
      if (!(at >= 0 && at < count)) return undefined
      return pages[places[at * 3]!]!.toString('utf8', places[at * 3 + 1], places[at * 3 + 2])
    },
  }
}
