import { fileURLToPath } from 'node:url'
import { entryUrl } from '#electron/lib/entry-url.ts'

/** The bundle of a program, by the name of its source: it starts in a third of the time. Outside Vitest it is the source. */
export function bundledProgram(name: string, source = ''): string {
  const entry = entryUrl('core-thread')
  return entry.href.endsWith('.ts') ? source : fileURLToPath(new URL(`${name}.js`, entry))
}
