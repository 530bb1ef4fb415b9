import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/** Rows of an answer, and those in view at 900 pixels. */
const sentRows = 50
const shownRows = 28

/** The page of `serveBarePage`; its roles are those of the Contacts page. */
const page = `<!doctype html>
<meta charset="utf-8">
<style>
  body { margin: 0; font: 13px sans-serif; }
  [role=row] { display: grid; grid-template-columns: repeat(5, 1fr); height: 30px; }
</style>
<div role="search"><input></div>
<div role="grid" aria-label="Contacts"><div role="rowgroup"></div><div role="rowgroup" id="rows"></div></div>
<script>
  const socket = new WebSocket(location.href.replace('http', 'ws'))
  const field = document.querySelector('input')
  field.oninput = () => socket.send(field.value)
  socket.onopen = () => socket.send('')
  socket.onmessage = ({ data }) =>
    rows.replaceChildren(...JSON.parse(data).slice(0, ${shownRows}).map((cells) => {
      const row = document.createElement('div')
      row.role = 'row'
      row.append(...cells.map((cell) => Object.assign(document.createElement('span'), { textContent: cell })))
      return row
    }))
</script>`

/** The number in the first row that answers a text. */
export const numberOf = (text: string): string =>
  `+${[...text].map((letter) => letter.codePointAt(0)! % 1_000).join('') || '0'}`

/** The least that a search page could do: a field, a WebSocket to a server that only answers, and rows of plain text. */
export async function serveBarePage() {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) =>
    socket.on('message', (text) => {
      const number = numberOf((text as Buffer).toString())
      const rows = Array.from({ length: sentRows }, (_, at) => [
        `Contact ${at}`,
        at === 0 ? number : `+49171${at}`,
        `contact-${at}@example.com`,
        'city=Berlin',
        'Local only',
      ])
      socket.send(JSON.stringify(rows))
    }),
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop() {
      sockets.close()
      server.close()
      server.closeAllConnections()
    },
  }
}
