import { TextlintKernel, type TextlintKernelRule } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import plain from '@textlint/textlint-plugin-text'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import maxWords from 'textlint-rule-en-max-word-count'
import terminology from 'textlint-rule-terminology'
import { phrases, shownTerms, stilted } from './terms.ts'

/** Checks sentence length and terms in the English catalogues and the docs, and stilted phrases in comments and test titles. Spelling is cspell's. */
const root = resolve(import.meta.dirname, '../..')
const kernel = new TextlintKernel()
/** Node gives a CommonJS module as the default export. */
const defaultOf = <M extends object>(module: M): M => ('default' in module ? (module.default as M) : module)
const plugins = [
  { pluginId: 'markdown', plugin: defaultOf(markdown) },
  { pluginId: 'text', plugin: defaultOf(plain) },
]

const rules = (max: number, terms: typeof phrases): TextlintKernelRule[] => [
  { ruleId: 'sentence-length', rule: maxWords, options: { max } },
  { ruleId: 'terms', rule: terminology, options: { defaultTerms: false, terms } },
]
const docs = rules(30, phrases)
const catalogues = rules(20, [...phrases, ...shownTerms])

async function faultsOf(text: string, ext: '.md' | '.txt', place: string): Promise<string[]> {
  const options = { ext, filePath: place, plugins, rules: ext === '.md' ? docs : catalogues }
  const { messages } = await kernel.lintText(text, options)
  return messages.map(({ line, message }) => `${place}${ext === '.md' ? `:${line}` : ''}: ${message}`)
}

type Messages = { [key: string]: string | Messages }

/** Messages by key, plural forms apart; a value counts as a word. */
const sentencesOf = (messages: Messages, prefix: string): [place: string, text: string][] =>
  Object.entries(messages).flatMap(([key, message]) =>
    typeof message === 'string'
      ? message.split(' | ').map((form): [string, string] => [`${prefix}${key}`, form])
      : sentencesOf(message, `${prefix}${key}.`),
  )

/** A comment line, a comment after code, or a first argument before a function, such as a test title. */
const prose =
  /^\s*(?:\/\/|\/?\*|<!--)(.*)|\s\/\/ (.*)$|\(\s*(['"`])((?:(?!\3)[^\\]|\\.)*)\3,\s*(?:\{[^}]*\},\s*)?(?:async\s*)?\(/gm
const stiltedPhrase = new RegExp(`\\b(?:${stilted.map(([pattern]) => pattern).join('|')})\\b`, 'i')

function stiltedIn(code: string, path: string): string[] {
  return Array.from(code.matchAll(prose)).flatMap(({ 0: whole, 1: comment, 2: after, 4: title, index }) => {
    const text = (comment ?? after ?? title ?? '').replace(/`[^`]*`/g, '')
    const [found] = stiltedPhrase.exec(text) ?? []
    if (found === undefined) return []
    const line = code.slice(0, index + whole.search(/\S/)).split('\n').length
    const [, instead] = stilted.find(([pattern]) => new RegExp(`^(?:${pattern})$`, 'i').test(found))!
    return [`${path}:${line}: “${found}”: ${instead}`]
  })
}

const files = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: ['node_modules', 'out', 'dist', 'test-results'] })
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')

/** A parser keeps the last of a repeated key, so a catalogue that has one is not what its parsed form writes. */
const repeatsKey = (text: string) => `${JSON.stringify(JSON.parse(text), null, 2)}\n` !== text

const faults = await Promise.all([
  ...files('{renderer,electron}/**/*.{en,es}.json')
    .filter((path) => repeatsKey(read(path)))
    .map((path) => [`${path}: a key is there twice, or the form isn’t that of JSON.stringify`]),
  ...files('**/*.md').map((path) => faultsOf(read(path), '.md', path)),
  ...files('{renderer,electron}/**/*.en.json').flatMap((path) =>
    sentencesOf(JSON.parse(read(path)) as Messages, `${path}: `).map(([place, text]) =>
      faultsOf(text, '.txt', place),
    ),
  ),
  ...files('{electron,renderer/src,resources,test}/**/*.{ts,vue,mjs}').map((path) =>
    stiltedIn(read(path), path),
  ),
])
process.stdout.write(
  faults
    .flat()
    .map((fault) => `${fault}\n`)
    .join(''),
)
if (faults.flat().length > 0) process.exitCode = 1
