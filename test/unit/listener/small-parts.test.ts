import { describe, expect, it } from 'vitest'
import { keptHeaders } from '#electron/listener/headers.ts'

describe('kept headers', () => {
  const raw =
    'Host a X-Thing 1 x-thing 2 X-Webhook-Signature s Proxy-Authorization p X-Api-Key k Set-Cookie c'.split(
      ' ',
    )

  it('keep order and duplicates, in lower case, without credentials', () => {
    expect(keptHeaders(raw)).toEqual([
      ['x-thing', '1'],
      ['x-thing', '2'],
    ])
  })
})
