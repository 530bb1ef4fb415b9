import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { effectScope } from 'vue'
import { useQuestion } from '../../../../../renderer/src/shared/ui/use-question.ts'

it('stays open with the reason when its action fails, and closes when it works', async () => {
  const question = useQuestion<string>()
  question.ask('one')
  const answer = Promise.withResolvers<string>()
  const acted = question.act(answer.promise)
  expect(question).toMatchObject({ about: 'one', busy: true, error: null })
  answer.reject(new ORPCError('DISK_FULL'))
  expect(await acted).toMatchObject({ ok: false })
  expect(question).toMatchObject({ about: 'one', busy: false, error: { code: 'DISK_FULL' } })
  question.close()
  question.ask('two')
  expect(question).toMatchObject({ about: 'two', error: null })
  expect(await question.act(Promise.resolve('done'))).toEqual({ ok: true, value: 'done' })
  expect(question).toMatchObject({ about: null, busy: false, error: null })
})

it('asks nothing while another question is open, but does once that page is gone', () => {
  const page = effectScope()
  const first = page.run(() => useQuestion<string>())!
  const second = useQuestion<string>()
  first.ask('one')
  second.ask('two')
  expect([first.about, second.about]).toEqual(['one', null])
  page.stop()
  second.ask('two')
  expect([first.about, second.about]).toEqual([null, 'two'])
  second.close()
})
