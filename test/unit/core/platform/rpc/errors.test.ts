import { expect, test } from 'vitest'
import { toAppError } from '#electron/core/platform/rpc/errors.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'

test.each(['ENOSPC', 'EDQUOT'])(
  'says that the disk is full after %s, and not that nothing was sent',
  (code) => {
    const error = toAppError(Object.assign(new Error('write'), { code }), quietLog)
    expect(error).toMatchObject({ code: 'DISK_FULL', acted: 'maybe', scope: 'storage' })
  },
)
