import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { useAttempt } from '../../../../renderer/src/rpc/use-attempt.ts'

const refused = (code: string) => new ORPCError(code)

it('shows the outcome of the newest call only', async () => {
  const { busy, error, run } = useAttempt()
  await run(Promise.reject(refused('DISK_FULL')))
  expect(error.value?.code).toBe('DISK_FULL')
  const first = Promise.withResolvers<string>()
  const second = Promise.withResolvers<string>()
  const answers = [run(first.promise), run(second.promise)]
  expect(error.value?.code).toBe('DISK_FULL')
  second.reject(refused('STORAGE_BUSY'))
  await answers[1]
  expect([busy.value, error.value?.code]).toEqual([false, 'STORAGE_BUSY'])
  first.resolve('late')
  expect(await answers[0]).toEqual({ ok: true, value: 'late' })
  expect([busy.value, error.value?.code]).toEqual([false, 'STORAGE_BUSY'])
  await run(Promise.resolve())
  expect(error.value).toBeNull()
})

it('stays busy until the newest call ends', async () => {
  const { busy, run } = useAttempt()
  const first = run(Promise.resolve())
  const second = Promise.withResolvers<undefined>()
  const later = run(second.promise)
  await first
  expect(busy.value).toBe(true)
  second.resolve(undefined)
  await later
  expect(busy.value).toBe(false)
})
