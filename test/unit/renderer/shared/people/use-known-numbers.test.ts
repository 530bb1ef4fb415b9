import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { useKnownNumbers } from '../../../../../renderer/src/shared/people/use-known-numbers.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

/** Names beside numbers, and the look-ups to answer. A look-up takes what waits for 50 ms. */
function openNames() {
  const lookUps: { numbers: string[]; answer(name: string, blocked?: 'hold'): void; fail(): void }[] = []
  const names = ({ numbers }: { numbers: string[] }) =>
    new Promise((resolve, reject) => {
      const answer = (name: string, blocked: 'hold' | null = null) =>
        resolve({ names: numbers.map((number) => `${name} ${number}`), blocked: numbers.map(() => blocked) })
      lookUps.push({ numbers, answer, fail: () => reject(new Error('The core is away')) })
    })
  const app = createRendererApp({ contacts: { names } })
  onTestFinished(() => app.scope.stop())
  const known = app.run(useKnownNumbers)
  const changed = (version: number) => app.streams[0]!.onItem({ version } as never)
  changed(1)
  const listChanged = () => app.streams[1]!.onItem({ sync: null } as never)
  listChanged()
  return { ...known, listChanged, lookUps, changed, rest: (ms = 60) => vi.advanceTimersByTimeAsync(ms) }
}

test('asks again for numbers whose look-up failed, though a later one worked', async () => {
  const { nameOf, lookUps, changed, rest } = openNames()
  nameOf('1')
  await rest()
  nameOf('2')
  await rest()
  lookUps[0]!.fail()
  await rest()
  lookUps[1]!.answer('Ada')
  await rest()
  changed(1)
  await rest()
  expect(lookUps[2]?.numbers).toEqual(['1', '2'])
  lookUps[2]!.fail()
  await rest()
  expect(nameOf('1')).toBe('')
  await rest()
  expect(lookUps[3]?.numbers).toContain('1')
  lookUps[3]!.answer('Grace')
  await rest()
  expect([nameOf('1'), nameOf('2')]).toEqual(['Grace 1', 'Ada 2'])
})

test('drops an answer that is older than the newest', async () => {
  const { nameOf, lookUps, changed, rest } = openNames()
  nameOf('1')
  await rest()
  changed(2)
  await rest()
  lookUps[1]!.answer('New')
  lookUps[0]!.answer('Old')
  await rest()
  expect(nameOf('1')).toBe('New 1')
})

test('marks a number that is put on hold, and asks again when holds or the DNC list change', async () => {
  const { blockedOf, listChanged, lookUps, rest } = openNames()
  blockedOf('1')
  await rest()
  lookUps[0]!.answer('Ada')
  await rest()
  expect(blockedOf('1')).toBeNull()
  listChanged()
  await rest()
  lookUps[1]!.answer('Ada', 'hold')
  await rest()
  expect(blockedOf('1')).toBe('hold')
})

test('forgets the oldest numbers beyond a thousand, and asks again when they return', async () => {
  const { nameOf, lookUps, rest } = openNames()
  nameOf('first')
  await rest()
  lookUps[0]!.answer('Ada')
  await rest()
  expect(nameOf('first')).toBe('Ada first')
  for (let at = 0; at < 1_000; at++) nameOf(String(at))
  await rest()
  expect(nameOf('first')).toBe('')
  await rest()
  for (const { answer } of lookUps) answer('Ada')
  await rest()
  expect(lookUps.filter(({ numbers }) => numbers.includes('first'))).toHaveLength(2)
})
