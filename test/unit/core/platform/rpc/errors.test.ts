import { expect, test } from 'vitest'
import { toAppError } from '#electron/core/platform/rpc/errors.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'

test.each(['ENOSPC', 'EDQUOT'])('says that the disk is full after %s', (code) => {
  expect(toAppError(Object.assign(new Error('write'), { code }), quietLog).code).toBe('DISK_FULL')
})
