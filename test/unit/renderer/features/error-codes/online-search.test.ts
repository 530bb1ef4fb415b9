import { describe, expect, it } from 'vitest'
import { errorView } from '../../../../../renderer/src/rpc/error-view.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'
import { categoriesOf, meaningOf } from '../../../../../renderer/src/features/error-codes/code-words.ts'
import { createOnlineSearch } from '../../../../../renderer/src/features/error-codes/online-search.ts'
import { createErrorCard } from '../../../../../renderer/src/shared/error-codes/error-card.ts'
import { ordinaryErrorCodes } from '../../../../helpers/scripted/error-codes.ts'

const cards = ordinaryErrorCodes()
const searchOver = (answer: object) =>
  createOnlineSearch({
    errorCodes: {
      searchOnline: async () => ({ items: [], added: 0, ignoredText: false, problem: null, ...answer }),
    },
  } as unknown as Client)

describe('asking the service', () => {
  it('tells how much is new here', async () => {
    const search = searchOver({ items: cards.slice(0, 2), added: 1 })
    expect(await search.ask('1')).toBe(true)
    expect(search.state.value).toMatchObject({ found: 'The service answered 2 codes, 1 record new here.' })
  })

  it('warns when the service seems to ignore the text', async () => {
    const search = searchOver({ items: cards, ignoredText: true })
    await search.ask('nothing like it')
    expect(search.state.value).toMatchObject({ warning: expect.stringContaining('ignore') })
  })

  it('is a failure when the answer carries a problem', async () => {
    const search = searchOver({ problem: errorView('SERVICE_TIMEOUT', { host: 'api' }) })
    expect(await search.ask('1')).toBe(false)
    expect(search.state.value).toMatchObject({ kind: 'failed', error: { code: 'SERVICE_TIMEOUT' } })
  })
})

describe('the card', () => {
  it('drops the answer for a code that was left', async () => {
    const waiting = new Map<string, PromiseWithResolvers<unknown>>()
    const card = createErrorCard({
      errorCodes: {
        get: ({ code }: { code: string }) => {
          const answer = Promise.withResolvers<unknown>()
          waiting.set(code, answer)
          return answer.promise
        },
      },
    } as unknown as Client)
    const both = [card.show('1'), card.show('2')]
    waiting.get('2')!.resolve(cards[1])
    waiting.get('1')!.resolve(cards[0])
    await Promise.all(both)
    expect(card.state.value).toMatchObject({ card: { code: '2' } })
  })

  it('keeps what was shown when its note is refused', async () => {
    const card = createErrorCard({
      errorCodes: { setNote: () => Promise.reject(new Error('no')) },
    } as unknown as Client)
    card.put(cards[0]!)
    expect(await card.saveNote('mine')).toMatchObject({ code: 'INTERNAL' })
    expect(card.state.value).toMatchObject({ card: { note: '' } })
  })
})

it('says the record’s meaning before the specification’s, and each category once', () => {
  const [card] = cards
  expect(meaningOf({ ...card!, records: [] })).toBe('Invalid destination')
  expect(meaningOf({ ...card!, records: [], dlrMeaning: null })).toBeNull()
  expect(categoriesOf({ ...card!, records: [...card!.records, ...card!.records] })).toBe('addressing')
})
