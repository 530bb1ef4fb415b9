import { describe, expect, it } from 'vitest'
import { doubleKeys, toDraft } from '../../../../../renderer/src/features/contacts/contact-draft.ts'
import {
  addressToFilter,
  filterToAddress,
} from '../../../../../renderer/src/features/contacts/contact-filter.ts'
import { contactLook } from '../../../../../renderer/src/features/contacts/contact-look.ts'
import {
  createContactSelection,
  mostIds,
} from '../../../../../renderer/src/features/contacts/contact-selection.ts'
import { tagLabel, tagOf, tagText } from '../../../../../renderer/src/shared/people/contact-tags.ts'

describe('the contact filter in the address', () => {
  it('is read back as written', () => {
    const filter = {
      text: 'ada',
      states: ['local' as const, 'failed' as const],
      dnc: false,
      held: true,
      tags: [
        { key: 'city', value: 'Wien' },
        { key: 'tier', value: null },
      ],
      importId: 'i-1',
    }
    expect(addressToFilter(filterToAddress(filter))).toEqual({ filter, unread: [] })
  })

  it('names the parts that it does not understand', () => {
    const { filter, unread } = addressToFilter({
      state: 'local,lost',
      dnc: 'perhaps',
      tag: ['=x', 'city=Wien'],
      text: 'x'.repeat(201),
    })
    expect(filter).toEqual({ states: ['local'], tags: [{ key: 'city', value: 'Wien' }] })
    expect(unread).toEqual(['text of 201 characters', 'state lost', 'dnc perhaps', 'tag =x'])
  })
})

describe('a tag without a value', () => {
  it('is shown by its key, and matched apart from its key with any value', () => {
    expect(tagLabel('vip', '')).toBe('vip')
    expect(tagLabel('city', 'Wien')).toBe('city=Wien')
    for (const value of ['', null, 'Wien'])
      expect(tagOf(tagText({ key: 'vip', value }))).toEqual({ key: 'vip', value })
  })
})

describe('selecting', () => {
  const rowAt = (index: number) => ({ id: index }) as never

  it('all but some shows how many are selected', () => {
    const selection = createContactSelection(
      () => ({ text: 'a' }),
      () => 1_000_000,
    )
    selection.all()
    selection.choose(rowAt, 7, false)
    expect(selection.count.value).toBe(999_999)
    expect(selection.has(7)).toBe(false)
    expect(selection.value()).toEqual({ filter: { text: 'a' }, exceptIds: [7] })
  })

  it('says how many of all matches it includes', () => {
    const selection = createContactSelection(
      () => ({}),
      () => 286,
    )
    selection.choose(rowAt, 7, false)
    expect(selection.words(true)).toBe('1 selected')
    selection.all()
    expect(selection.words(true)).toBe('All 286 selected')
    expect(selection.words(false)).toBe('All 286+ selected')
    selection.choose(rowAt, 7, false)
    selection.choose(rowAt, 8, false)
    expect(selection.words(true)).toBe('284 of 286 selected')
  })

  it('stops at the maximum with a message', () => {
    const selection = createContactSelection(
      () => ({}),
      () => 0,
    )
    expect(selection.choose(rowAt, 0, false)).toBeNull()
    expect(selection.choose(rowAt, mostIds - 1, true)).toBeNull()
    expect(selection.choose(rowAt, mostIds, false)).toContain('up to 10,000 rows')
    expect(selection.count.value).toBe(mostIds)
  })

  it('a range takes all of its rows or none', () => {
    const row = (index: number) => (index === 3 ? undefined : ({ id: index * 10 } as never))
    const selection = createContactSelection(
      () => ({}),
      () => 0,
    )
    expect(selection.choose(row, 2, false)).toBeNull()
    expect(selection.choose(row, 0, true)).toBeNull()
    expect(selection.value()).toEqual({ ids: [20, 0, 10] })
    expect(selection.choose(row, 5, true)).toContain('aren’t loaded')
    expect(selection.count.value).toBe(3)
  })
})

describe('the state of a contact', () => {
  it('is not “rejected” when the contact was blocked here or the service did not reject it', () => {
    const failed = { state: 'failed' as const, dnc: false, held: false }
    expect(contactLook(failed).label).toBe('Push failed')
    expect(contactLook({ ...failed, dnc: true }).label).toBe('Blocked')
    expect(contactLook({ ...failed, held: true }).label).toBe('Blocked')
    expect(contactLook({ state: 'service', dnc: true, held: false }).label).toBe('On service')
  })
})

describe('a contact form', () => {
  it('keeps tags with any key, and names repeated keys', () => {
    const typed = {
      name: ' Ada ',
      firstName: ' Ada',
      lastName: '',
      phone: ' 0171 ',
      email: '',
      tags: [
        { key: '__proto__', value: 'x' },
        { key: 'city', value: 'Wien' },
        { key: ' city ', value: 'Graz' },
        { key: '', value: 'lost' },
      ],
      serviceId: '',
    }
    expect(Object.entries(toDraft(typed, 'DE').tags)).toEqual([
      ['__proto__', 'x'],
      ['city', 'Graz'],
    ])
    expect(doubleKeys(typed)).toEqual(['city'])
  })
})
