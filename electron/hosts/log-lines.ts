import { type LogEntry, redact } from '../lib/log.ts'

/** Controls, direction marks and invisible characters: outside text must not move the cursor or hide a line. */
const unsafeText = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** One entry as one line: time, level, scope, message, data as JSON. Redacts again: not all come from `createLog`. */
export function formatLogLine(entry: LogEntry): string {
  const data = entry.data === undefined ? '' : ` ${JSON.stringify(redact(entry.data))}`
  const line = `${new Date(entry.atMs).toISOString()} ${entry.level.padEnd(5)} ${entry.scope}: ${String(redact(entry.message))}${data}`
  return line.replace(
    unsafeText,
    (character) => `\\u{${character.codePointAt(0)!.toString(16).padStart(4, '0')}}`,
  )
}

/** Holds log lines until `release`, so the ready lines come first. Drops debug entries unless `debug`. */
export function createTerminal(
  write: (line: string) => void,
  debug: boolean,
): {
  /** Writes a line at once. */
  say(line: string): void
  log(entry: LogEntry): void
  release(): void
} {
  let held: string[] | null = []
  return {
    say: write,
    log(entry) {
      if (entry.level === 'debug' && !debug) return
      const line = formatLogLine(entry)
      if (held) held.push(line)
      else write(line)
    },
    release() {
      for (const line of held ?? []) write(line)
      held = null
    },
  }
}
