import { describe, expect, it } from 'vitest'
import { exchangeToken, reloadAtNewLink } from '../../../../renderer/src/rpc/session.ts'

function pageAt(hash: string) {
  const steps: string[] = []
  const page = {
    location: { hash, pathname: '/' },
    history: { replaceState: (_state: unknown, _title: string, url: string) => steps.push(`address ${url}`) },
  } as unknown as Window
  return { page, steps }
}

describe('the one-time token in the address', () => {
  it('is removed from the address before it is sent, and sent in the body only', async () => {
    const { page, steps } = pageAt('#token=abc-DEF_123')
    let sent: { url: string; body: unknown; method: unknown } | undefined
    const request = (async (url: string, init: RequestInit) => {
      steps.push('sent')
      sent = { url, body: JSON.parse(init.body as string), method: init.method }
      return new Response(null, { status: 204 })
    }) as typeof fetch
    expect(await exchangeToken(page, request)).toBe(true)
    expect(steps).toEqual(['address /', 'sent'])
    expect(sent).toEqual({ url: '/session', method: 'POST', body: { token: 'abc-DEF_123' } })
  })

  it('is reported as refused on 401 and 403', async () => {
    for (const status of [401, 403]) {
      const request = (async () => new Response(null, { status })) as typeof fetch
      expect(await exchangeToken(pageAt('#token=x').page, request)).toBe(false)
    }
  })

  it('sends nothing when the address has none, and leaves a page address alone', async () => {
    const { page, steps } = pageAt('#/settings')
    const request = (async () => {
      throw new Error('must not be asked')
    }) as typeof fetch
    expect(await exchangeToken(page, request)).toBe(true)
    expect(steps).toEqual([])
  })
})

describe('a new link pasted into a rejected page’s tab', () => {
  function deniedPage() {
    const steps: string[] = []
    const page = Object.assign(new EventTarget(), {
      location: { reload: () => steps.push('reload') },
      history: { replaceState: (_state: unknown, _title: string, url: string) => steps.push(url) },
    })
    const go = (newURL: string) => page.dispatchEvent(Object.assign(new Event('hashchange'), { newURL }))
    return { page: page as unknown as Window, steps, go }
  }

  it('reloads the page with it, though the router changed the address meanwhile', () => {
    const { page, steps, go } = deniedPage()
    reloadAtNewLink(page)
    go('http://127.0.0.1:1/#token=abc-DEF_123')
    expect(steps).toEqual(['http://127.0.0.1:1/#token=abc-DEF_123', 'reload'])
  })

  it('ignores an address within the console, and any after the page is gone', () => {
    const { page, steps, go } = deniedPage()
    const stop = reloadAtNewLink(page)
    go('http://127.0.0.1:1/#/settings')
    stop()
    go('http://127.0.0.1:1/#token=abc')
    expect(steps).toEqual([])
  })
})
