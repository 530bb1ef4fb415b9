import { expect, it } from 'vitest'
import { useOpening } from '../../../../../renderer/src/shared/connections/use-opening.ts'
import { createRendererApp } from '../../../../helpers/renderer-app.ts'

const answer = (id: string) => ({ connection: { id } })

it('follows the connection that was asked for last, even if an earlier one opens after it', async () => {
  const { opened, during } = createRendererApp({}).run(useOpening)
  let openSlow = (_: ReturnType<typeof answer>): void => {}
  const slow = during(new Promise<ReturnType<typeof answer>>((resolve) => (openSlow = resolve)))
  await during(Promise.resolve(answer('quick')))
  openSlow(answer('slow'))
  await slow
  expect(opened.value).toEqual({ id: 'quick' })
})
