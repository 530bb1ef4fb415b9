import { describe, expect, it } from 'vitest'
import { heldIn, type TeamMark } from '#electron/core/people/dnc/held-in.ts'
import {
  eraseSecret,
  mostSent,
  readPosted,
  signed,
  type TeamEntry,
  textOf,
  sealed,
  unsealed,
  unsigned,
} from '#electron/core/people/dnc/team-entries.ts'
import { mayErase } from '#electron/listener/team-protocol.ts'
import { withoutNumber } from '#electron/core/live/team/erase-from-log.ts'
import { seededRandom } from '#electron/lib/random.ts'

const key = 'k'.repeat(43)
const hold: TeamEntry = {
  kind: 'hold',
  id: 'h-1',
  number: '+14155550101',
  country: null,
  evidence: 'Asked by phone',
  source: 'by-hand',
  ownOnly: false,
  author: 'Ana',
  atMs: 1,
}
const sent: TeamEntry = {
  kind: 'sent',
  id: 's-1',
  template: 't-1',
  channel: 'c-1',
  to: [[14155550101, 'm-1']],
  author: 'Ana',
  atMs: 1,
}
const release: TeamEntry = { kind: 'release', hold: 'h-1', author: 'Ben', atMs: 2 }
const erase: TeamEntry = { kind: 'erase', id: 'e-1', number: 'n', isHeld: true, author: 'Ben', atMs: 2 }

describe('the holds in force', () => {
  it.each(Array.from({ length: 20 }, (_one, seed) => seed))(
    'depend on the set of marks alone, and a hold wins over a release that had not seen it (seed %i)',
    (seed) => {
      const random = seededRandom(seed)
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
      const shuffled = <T>(from: readonly T[]): T[] =>
        from
          .map((one) => ({ one, at: random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one)
      const history: TeamMark[] = []
      const unseen = new Set<string>()
      for (let at = 0; at < 60; at++) {
        const seen = history.filter(({ kind, holdId }) => kind === 'hold' && !unseen.has(holdId))
        if (random() < 0.5 || seen.length === 0) {
          history.push({ kind: 'hold', holdId: `h${at}` })
          if (random() < 0.3) unseen.add(`h${at}`)
        } else history.push({ kind: 'release', holdId: pick(seen).holdId })
      }
      const expected = new Set(
        history
          .filter(
            ({ kind, holdId }) =>
              kind === 'hold' &&
              !history.some((other) => other.kind === 'release' && other.holdId === holdId),
          )
          .map(({ holdId }) => holdId),
      )
      const [a, b, c] = [0, 1, 2].map(() => history.filter(() => random() < 0.6))
      expect(heldIn(shuffled(history))).toEqual(expected)
      expect(heldIn(shuffled([...history, ...a!, ...a!]))).toEqual(expected)
      expect(heldIn([...a!, ...b!, ...c!])).toEqual(heldIn([...c!, ...a!, ...b!]))
      for (const holdId of unseen) expect(heldIn(history)).toContain(holdId)
    },
  )
})

const value: TeamEntry = {
  ...{ kind: 'value', id: 'v-1', of: 'number-note', key: '14155550101', value: 'Call back' },
  ...{ clockMs: 1, author: 'Ana', atMs: 1 },
}
const filter = { ...value, of: 'contact-filter' }
const others: TeamEntry = { ...sent, to: [[14155550102, 'm-2'], ...sent.to] }

describe('an entry of the log without an erased number', () => {
  const posted = (entry: object) => readPosted(signed(JSON.stringify(entry), key), key)!
  it.each<[string, object, object | '' | null]>([
    ['a hold of it', hold, ''],
    ['a hold that may be of another', { ...hold, number: '+14155550101 / +14155550102' }, 'stays' as never],
    ['another hold', { ...hold, number: '+14155550102' }, null],
    ['a longer number', { ...value, key: '141555501010' }, null],
    [
      'another hold that names it',
      { ...hold, number: '+14155550102', evidence: 'As +14155550101' },
      { ...hold, number: '+14155550102', evidence: 'As +0' },
    ],
    ['a removal', release, null],
    ['messages to it', sent, ''],
    [
      'messages to others, too',
      others,
      {
        ...others,
        to: [
          [14155550102, 'm-2'],
          [0, null],
        ],
      },
    ],
    ['a note on its conversation', { ...value, of: 'conversation-note' }, ''],
    ['its note', value, ''],
    ['another note', { ...value, key: '14155550102', value: 'x' }, null],
    [
      'a filter that looks for it, which would match almost everyone',
      { ...filter, key: 'VIP', value: { text: '+14155550101' } },
      { ...filter, key: 'VIP', value: null },
    ],
    [
      'a filter named like it',
      { ...filter, key: 'Ada +14155550101', value: { text: 'Ada' } },
      { ...filter, key: '', value: null },
    ],
    ['another filter', { ...filter, key: 'VIP', value: { text: 'Ada' } }, null],
    ['a later version’s', { kind: 'poll', about: '14155550101' }, { kind: 'poll', about: '0' }],
  ])('%s', (_name, entry, expected) => {
    const left = withoutNumber(posted(entry), 14155550101)
    if (expected === ('stays' as never)) expect(left).toBe(JSON.stringify(entry))
    else expect(left ? JSON.parse(left) : left).toEqual(expected)
  })

  it('can be erased with the team key only', () => {
    const text = textOf(hold)
    for (const one of [signed(text, key), unsigned(text, key)]) {
      expect(mayErase(one, eraseSecret(one, key)!)).toBe(true)
      expect(mayErase(one, 'guessed')).toBe(false)
      expect(eraseSecret(one, 'other')).toBeNull()
    }
    expect(eraseSecret(`forged.nonce.${text}`, key)).toBeNull()
  })
})

describe('a posted entry', () => {
  const read = (posted: string) => readPosted(posted, key)

  it('is proven with the right key only', () => {
    expect(read(signed(textOf(hold), key))).toMatchObject({ entry: hold, isProven: true })
    expect(read(signed(textOf(release), key))).toMatchObject({ entry: release, isProven: true })
    expect(read(signed(textOf(release), 'other'))).toBeNull()
    expect(unsealed(sealed(14155550177, key), key)).toBe(14155550177)
    expect(unsealed(sealed(14155550177, key), 'other')).toBeNull()
  })

  it('of a hold without proof has an id of its own, so that it hides no other', () => {
    const forged = read(signed(textOf({ ...hold, number: '+14155550199' }), 'other'))!
    expect(forged).toMatchObject({ isProven: false, entry: { number: '+14155550199' } })
    expect(forged.entry).not.toMatchObject({ id: hold.id })
    expect(read(`x.${textOf(hold)}`)).toEqual(read(`y.${textOf(hold)}`))
  })

  it.each([
    ['no text', ''],
    ['no proof', textOf(hold)],
    ['no JSON', signed('{', key)],
    ['another kind without proof', signed('{"kind":"later"}', 'other')],
    ['an erasure without proof', signed(textOf(erase), 'other')],
    ['messages without proof', signed(textOf(sent), 'other')],
    ['no messages', signed(JSON.stringify({ ...sent, to: [] }), key)],
    ['a further field in a removal', signed(JSON.stringify({ ...release, more: 1 }), key)],
    ['no author', signed(JSON.stringify({ ...hold, author: ' ' }), key)],
    ['a wrong time', signed(JSON.stringify({ ...hold, atMs: 1e99 }), key)],
  ])('that has %s is skipped', (_name, posted) => expect(read(posted)).toBeNull())

  it('that is a hold of a later version still holds', () =>
    expect(read(signed(JSON.stringify({ ...hold, more: 1 }), key))?.entry).toEqual(hold))

  it('of a kind that this version doesn’t know is passed over, and proves the team key', () =>
    expect(read(signed('{"kind":"later","more":1}', key))).toMatchObject({
      entry: { kind: 'later' },
      isProven: true,
    }))

  it('is short however many messages it has', () => {
    const to = Array.from({ length: mostSent }, (): [number, string] => [999_999_999_999_999, 'm'.repeat(60)])
    const long = { template: 't'.repeat(200), channel: 'c'.repeat(200), author: 'A'.repeat(60) }
    const posted = signed(textOf({ ...sent, ...long, to }), key)
    expect(posted.length).toBeLessThan(16 * 1024)
    expect(read(posted)?.isProven).toBe(true)
    expect(read(signed(textOf({ ...sent, to: [[1, 'm'.repeat(61)]] }), key))?.entry).toMatchObject({
      to: [[1, null]],
    })
  })

  it('is short however long the message was', () => {
    const text = textOf({ ...hold, evidence: '\u0001'.repeat(60_000), number: '+'.repeat(9_000) })
    expect(signed(text, key).length).toBeLessThan(16 * 1024)
    expect(read(signed(text, key))?.isProven).toBe(true)
  })
})
