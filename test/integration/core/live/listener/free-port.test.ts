import { expect, test } from 'vitest'
import { nextFreePort, whyNotFree } from '#electron/core/live/listener/free-port.ts'
import { takePort } from '../../../../helpers/ports.ts'

test('says who has a port, as far as it knows, and skips taken ports', async () => {
  const { port, release } = await takePort()
  expect(await whyNotFree('127.0.0.1', port)).toEqual({ key: 'listener.portUsed' })
  expect(await whyNotFree('127.0.0.1', port, port)).toEqual({ key: 'listener.portOfPage' })
  expect(await nextFreePort('127.0.0.1', port - 1)).toBeGreaterThan(port)
  await release()
  expect(await whyNotFree('127.0.0.1', port)).toBeNull()
})
