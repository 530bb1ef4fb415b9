import { expect, test } from 'vitest'
import { takeThread } from '#electron/threads/kept-threads.ts'
import { startThread } from '#electron/threads/own-thread.ts'

test('a thread that was left serves the next owner, one of each kind, and tells only its owner of its end', async () => {
  let started = 0
  const ended: string[] = []
  function take(owner: string) {
    const start = (events: object) => {
      started++
      return startThread<object, object>('job-thread', events, { name: 'job' })
    }
    const thread = takeThread<object, object>('test', start, {})
    void thread.ended.then(() => ended.push(owner))
    return thread
  }
  await take('first').leave()
  const [second, third] = [take('second'), take('third')]
  expect(started).toBe(2)
  await second.leave()
  await third.leave()
  const fourth = take('fourth')
  expect(started).toBe(2)
  await fourth.end()
  const fifth = take('fifth')
  expect(started).toBe(3)
  await fifth.end()
  expect(ended).toEqual(['third', 'fourth', 'fifth'])
})
