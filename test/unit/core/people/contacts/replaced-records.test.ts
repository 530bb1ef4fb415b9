import { describe, expect, test } from 'vitest'
import { replacingOf } from '#electron/core/people/contacts/contacts.service.ts'

const there = { state: 'service' as const, serviceId: 'new' }
const waiting = { state: 'waiting' as const, serviceId: 'old' }
const old = (
  state: 'queued' | 'done' | 'rejected' | 'unknown' | 'cancelled',
  serviceId: string | null = 'old',
) => ({
  state,
  serviceId,
})

describe('the service’s state of a contact with a replaced record', () => {
  test.each([
    ['nothing was replaced', there, [], null],
    ['neither request has left', waiting, [old('queued')], 'old'],
    [
      'the old one is deleted, the new one waits',
      { state: 'waiting' as const, serviceId: null },
      [old('done')],
      'none',
    ],
    ['the new one is created, the old one waits', there, [old('queued')], 'both'],
    ['the old one could not be deleted', there, [old('rejected')], 'both'],
    [
      'the deletion of the old one was cancelled after the new one was created',
      there,
      [old('cancelled')],
      'both',
    ],
    ['the deletion of the old one is unconfirmed', waiting, [old('unknown')], 'unknown'],
    ['everything is done', there, [old('done')], null],
    ['everything was undone', { state: 'service' as const, serviceId: 'old' }, [old('cancelled')], null],
    ['it was undone and done again', there, [old('cancelled'), old('done')], null],
    ['the old one never had an ID', there, [old('cancelled', null)], null],
    ['an earlier one was left behind', there, [old('rejected', 'older'), old('done')], 'both'],
  ])('%s', (_when, contact, records, expected) => {
    expect(replacingOf(contact, records)).toBe(expected)
  })
})
