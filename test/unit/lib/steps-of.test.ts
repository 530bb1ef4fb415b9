import { expect, test } from 'vitest'
import { stepsOf } from '#electron/lib/steps-of.ts'

async function read(steps: AsyncGenerator<number, string | null>) {
  const seen: number[] = []
  for (;;) {
    const { done, value } = await steps.next()
    if (done) return { seen, value }
    seen.push(value)
  }
}
const never = new AbortController().signal

test('yields the newest step and returns the result', async () => {
  const work = async (onStep: (step: number) => void) => {
    onStep(1)
    onStep(2)
    await new Promise(setImmediate)
    onStep(3)
    await new Promise(setImmediate)
    return 'done'
  }
  expect(await read(stepsOf(work, never))).toEqual({ seen: [2, 3], value: 'done' })
})

test('throws failures and returns null after an abort', async () => {
  const fail = () => Promise.reject(new Error('no disk'))
  await expect(read(stepsOf(fail, never))).rejects.toThrow('no disk')
  expect(await read(stepsOf(fail, AbortSignal.abort()))).toEqual({ seen: [], value: null })
})
