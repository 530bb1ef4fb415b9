import { fileURLToPath } from 'node:url'
import { entryUrl } from '#electron/lib/entry-url.ts'

/** The bundle of a console in `integration/core`, by the name of its source: it starts in a third of the time. */
export const bundledProgram = (name: string): string =>
  fileURLToPath(new URL(`${name}.js`, entryUrl('core-thread')))
