import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a message of the pseudo-locale begins and ends with. */
export const marks = { start: '⟦', end: '⟧' }

/** A node of a compiled message (see `compile-catalogues.ts`): `t` 2 is a message with parts `i`, 3 a text. `s` is a text without values. */
interface Message {
  t: 2
  i: { t: number; v?: string }[]
  s?: string
}

const accented = (text: string) => text.replaceAll(/[aceinorsuyzACEINORSUYZ]/g, '$&\u0301').normalize('NFC')

/** 40 % more letters, in short words. */
const more = (text: string) => ` ${'óné twó síx '.repeat(30)}`.slice(0, 1 + text.length * 0.4).trimEnd()

const isMessage = (value: object): value is Message => 't' in value && value.t === 2

function pseudoMessage({ i: parts, s: whole }: Message): Message {
  const all = whole === undefined ? parts : [{ t: 3, v: whole }]
  const words = all.map(({ v = '' }) => v).join('')
  const inside = all.map((part) => (part.v === undefined ? part : { ...part, v: accented(part.v) }))
  return { t: 2, i: [{ t: 3, v: marks.start }, ...inside, { t: 3, v: more(words) + marks.end }] }
}

function pseudo(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isMessage(value)) return pseudoMessage(value)
  if (Array.isArray(value)) return value.map(pseudo)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pseudo(inner)]))
}

/** A built catalogue in the pseudo-locale: accented, 40 % longer and marked. */
async function pseudoCatalogue(path: string): Promise<string> {
  // Playwright would compile a file first, which takes seconds.
  const module = `data:text/javascript,${encodeURIComponent(readFileSync(path, 'utf8'))}`
  const exported = Object.entries((await import(module)) as object)
  const values = exported.map(([, value], at) => `const v${at} = ${JSON.stringify(pseudo(value))}`)
  return `${values.join('\n')}\nexport { ${exported.map(([name], at) => `v${at} as ${name}`).join(', ')} }`
}

/** Copies a built page to `to`, with its English catalogues in the pseudo-locale, and `script` run before its own. */
export async function pseudoRenderer(built: string, to: string, script: () => void): Promise<void> {
  cpSync(built, to, { recursive: true })
  for (const path of globSync('assets/*.en-*.js', { cwd: built }))
    writeFileSync(join(to, path), await pseudoCatalogue(join(built, path)))
  writeFileSync(join(to, 'first.js'), `(${script.toString()})()`)
  const page = join(to, 'index.html')
  writeFileSync(page, readFileSync(page, 'utf8').replace('<head>', '<head><script src="first.js"></script>'))
}
