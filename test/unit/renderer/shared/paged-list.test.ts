import { describe, expect, it } from 'vitest'
import { DisconnectedError } from '../../../../renderer/src/rpc/error-view.ts'
import { createPagedList } from '../../../../renderer/src/shared/state/paged-list.ts'

/** Three pages of two rows called by `list`, failing while `failing`. */
function aList() {
  const source = { list: 'a', failing: false }
  const paged = createPagedList(async (cursor: number | undefined) => {
    const { list } = source
    await Promise.resolve()
    if (source.failing) throw new DisconnectedError('gone')
    const page = cursor ?? 0
    return { items: [`${list}${page}`, `${list}${page}'`], nextCursor: page < 2 ? page + 1 : null }
  })
  return { source, paged }
}

describe('a list that is read page by page', () => {
  it('goes on at its end and stops there', async () => {
    const { paged } = aList()
    await paged.restart()
    await paged.loadMore()
    await paged.loadMore()
    await paged.loadMore()
    expect(paged.state.value).toMatchObject({ more: 'none', rows: ['a0', "a0'", 'a1', "a1'", 'a2', "a2'"] })
  })

  it('keeps its rows when it cannot be read again, and says why', async () => {
    const { source, paged } = aList()
    await paged.restart()
    source.failing = true
    await paged.restart()
    expect(paged.state.value).toMatchObject({
      phase: 'failed',
      rows: ['a0', "a0'"],
      error: { code: 'DISCONNECTED' },
    })
  })

  it('does not show the rows of one list for another that cannot be had', async () => {
    const { source, paged } = aList()
    await paged.restart()
    Object.assign(source, { list: 'b', failing: true })
    const asked = paged.ask()
    expect(paged.state.value.rows).toEqual(['a0', "a0'"])
    await asked
    expect(paged.state.value).toMatchObject({ phase: 'failed', rows: [], answer: null })
    await paged.restart()
    expect(paged.state.value.rows).toEqual([])
    source.failing = false
    await paged.restart()
    expect(paged.state.value.rows).toEqual(['b0', "b0'"])
  })

  it('drops an answer to a question that was left', async () => {
    const { source, paged } = aList()
    const first = paged.ask()
    source.list = 'b'
    await Promise.all([first, paged.ask()])
    expect(paged.state.value.rows).toEqual(['b0', "b0'"])
  })
})
