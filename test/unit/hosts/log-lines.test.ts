import { expect, test } from 'vitest'
import { createTerminal, formatLogLine } from '#electron/hosts/log-lines.ts'
import type { LogEntry } from '#electron/lib/log.ts'

const entry = (change: Partial<LogEntry> = {}): LogEntry => ({
  level: 'info',
  atMs: Date.UTC(2026, 0, 5, 9),
  scope: 'core',
  message: 'done',
  ...change,
})

test('formats an entry as one line: time, level, scope, message, data', () => {
  expect(formatLogLine(entry({ data: { count: 3 } }))).toBe(
    '2026-01-05T09:00:00.000Z info  core: done {"count":3}',
  )
})

test.each([
  '\u001b[2J',
  'a\nb',
  'a\r2026-01-05T09:00:00.000Z info  core: forged',
  '\u202egnp.exe',
  '\u2028',
  '\u009b1m',
  '\u200fx',
  '\ufeffx',
  '\u{e0041}',
])('escapes %j, so it can’t move the cursor or start a line', (text) => {
  const line = formatLogLine(entry({ message: text, data: { from: text } }))
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u)
})

test('masks a secret at any depth and in cycles', () => {
  for (let depth = 1; depth < 12; depth++) {
    let data: Record<string, unknown> = { apiKey: 'k-1', said: 'Bearer t-1' }
    for (let level = 0; level < depth; level++) data = { inner: data, list: [data] }
    expect(formatLogLine(entry({ data }))).not.toMatch(/k-1|t-1/)
  }
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  expect(formatLogLine(entry({ data: loop }))).toContain('[…]')
})

test('holds log lines until the ready lines, but not direct output', () => {
  const lines: string[] = []
  const terminal = createTerminal((line) => lines.push(line), false)
  terminal.log(entry({ message: 'early' }))
  terminal.log(entry({ level: 'debug', message: 'detail' }))
  terminal.say('Switchboard ready: …')
  expect(lines).toEqual(['Switchboard ready: …'])
  terminal.release()
  terminal.log(entry({ message: 'late' }))
  expect(lines.map((line) => line.split(': ')[1])).toEqual(['…', 'early', 'late'])
})
