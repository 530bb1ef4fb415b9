/**
 * `node test/electron/members.ts` lists every member and event of Electron that the main process and the preload use, by the type
 * checker: `BrowserWindow.getNormalBounds`, `App 'activate'`. Members of plain structures (options, details) are omitted: the double
 * rejects unknown options.
 */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'

const root = resolve(import.meta.dirname, '../..')
const sources = join(root, 'electron/hosts/electron')
const emitterMethods = new Set(['on', 'once', 'off', 'addListener', 'removeListener'])

/** The names of an object that Electron documents as a class or module; none for structures and other libraries. */
function electronNames(type: ts.Type): string[] {
  if (type.isUnion()) return type.types.flatMap(electronNames)
  const declarations = type.getSymbol()?.declarations
  if (!declarations) return []
  const isElectron = declarations.some((declaration) => {
    if (!declaration.getSourceFile().fileName.endsWith('node_modules/electron/electron.d.ts')) return false
    if (ts.isClassDeclaration(declaration)) return true
    return ts.isInterfaceDeclaration(declaration) && documented(declaration)
  })
  const { name } = type.getSymbol()!
  // `process` is Node’s own, with Electron’s additions.
  return isElectron && name !== 'Process' ? [name] : []
}

/** Electron’s types link each object’s page; structures are below `structures/`. */
function documented(declaration: ts.InterfaceDeclaration): boolean {
  const page = /docs\/api\/(\S+)/.exec(declaration.getFullText().slice(0, 400))?.[1]
  return page !== undefined && (!page.startsWith('structures/') || page.endsWith('-event'))
}

/** What the desktop host’s sources use of Electron, sorted. */
export function usedMembers(): string[] {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(sources, name))
  const config = ts.readConfigFile(join(root, 'electron/tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, join(root, 'electron'))
  const program = ts.createProgram(files, { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const used = new Set<string>()

  function visit(node: ts.Node): void {
    if (ts.isPropertyAccessExpression(node)) {
      for (const owner of electronNames(checker.getTypeAtLocation(node.expression))) {
        const event = eventOf(node)
        used.add(event === null ? `${owner}.${node.name.text}` : `${owner} '${event}'`)
      }
    } else if (ts.isNewExpression(node)) {
      for (const owner of electronNames(checker.getTypeAtLocation(node))) used.add(`new ${owner}`)
    }
    ts.forEachChild(node, visit)
  }

  /** The event of this call of `on` and similar. IPC channels are not Electron events. */
  function eventOf(node: ts.PropertyAccessExpression): string | null {
    if (!emitterMethods.has(node.name.text) || !ts.isCallExpression(node.parent)) return null
    const [first] = node.parent.arguments
    const parameter = checker.getResolvedSignature(node.parent)?.parameters[0]
    const isNamed = parameter && checker.getTypeOfSymbol(parameter).isStringLiteral()
    return isNamed && first && ts.isStringLiteral(first) ? first.text : null
  }

  for (const file of files) visit(program.getSourceFile(file)!)
  return [...used].sort()
}

if (import.meta.main) console.log(usedMembers().join('\n'))
