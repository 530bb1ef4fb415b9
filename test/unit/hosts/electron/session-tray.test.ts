import { expect, test } from 'vitest'
import { showsTrayIcons } from '#electron/hosts/electron/session-tray.ts'

/** Answers of the tools by name; one that is missing or fails has none. */
const session = (answers: Record<string, string>) => (file: string, args: string[]) => {
  expect(args.at(-1)).toBe('IsStatusNotifierHostRegistered')
  const answer = answers[file]
  return answer === undefined ? Promise.reject(new Error(`${file} failed`)) : Promise.resolve(answer)
}

test.each([
  [true, 'linux', { gdbus: '(<true>,)\n' }],
  [false, 'linux', { gdbus: '(<false>,)\n' }],
  [true, 'linux', { busctl: 'b true\n' }],
  [false, 'linux', { busctl: 'b false\n' }],
  [false, 'linux', {}],
  [true, 'darwin', {}],
  [true, 'win32', {}],
] as const)('answers %s on %s where the session says %o', async (shown, platform, answers) => {
  expect(await showsTrayIcons(platform, session(answers))).toBe(shown)
})
