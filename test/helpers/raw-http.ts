import { connect } from 'node:net'

/** One answer of an HTTP/1.1 server, as received. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Splits a byte stream into its answers. Bodies must have a Content-Length. */
export function parseAnswers(data: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = data
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    const length = Number(headers['content-length'] ?? 0)
    answers.push({
      status: Number(first.split(' ')[1]),
      headers,
      body: rest.toString('utf8', end + 4, end + 4 + length),
    })
    rest = rest.subarray(end + 4 + length)
  }
}

export interface RawConnection {
  write(data: string | Buffer): void
  /** Ends the sending side. */
  end(): void
  destroy(): void
  /** Everything received. */
  received(): Buffer
  /** Resolves when `count` answers have arrived, or when the server closed the connection. */
  answers(count?: number): Promise<RawAnswer[]>
  /** Resolves when the server closed or reset the connection. */
  closed: Promise<void>
}

/** A plain TCP connection to 127.0.0.1, for requests no HTTP client would send. */
export function rawConnection(port: number): RawConnection {
  const socket = connect({ port, host: '127.0.0.1' })
  let data: Buffer = Buffer.alloc(0)
  let isClosed = false
  const waiting = new Set<() => void>()
  const wake = () => waiting.forEach((check) => check())
  socket.on('data', (chunk: Buffer) => {
    data = Buffer.concat([data, chunk])
    wake()
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isClosed = true
      wake()
      resolve()
    })
  })
  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    received: () => data,
    closed,
    answers: (count = 1) =>
      new Promise((resolve) => {
        const check = () => {
          const found = parseAnswers(data)
          if (found.length < count && !isClosed) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      }),
  }
}

/** Sends bytes over a new connection and returns the answer. */
export async function rawRequest(port: number, bytes: string | Buffer, count = 1): Promise<RawAnswer[]> {
  const connection = rawConnection(port)
  connection.write(bytes)
  const answers = await connection.answers(count)
  connection.destroy()
  return answers
}
