export interface Reply {
  status: number
  body: unknown
}

/** Sent as its status and `{ error }`. */
export class HttpError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const ok = (body: unknown): Reply => ({ status: 200, body })
export const created = (body: unknown): Reply => ({ status: 201, body })

export const badRequest = (message: string) => new HttpError(400, message)
export const notFound = (what = 'resource') => new HttpError(404, `${what} does not exist`)
export const unauthorized = () => new HttpError(401, 'missing or invalid authentication')
export const forbidden = () => new HttpError(403, 'insufficient permissions')
