/** An answer: a status and a JSON value. */
export interface Reply {
  status: number
  body: unknown
}

/** A refusal, with the status and the text of its `{ error }`. */
export class HttpError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** 200 with a body. */
export const ok = (body: unknown): Reply => ({ status: 200, body })
/** 201 with the record that was made. */
export const created = (body: unknown): Reply => ({ status: 201, body })

/** 400: invalid request parameters. */
export const badRequest = (message: string) => new HttpError(400, message)
/** 404. */
export const notFound = (what = 'resource') => new HttpError(404, `${what} does not exist`)
/** 401. */
export const unauthorized = () => new HttpError(401, 'missing or invalid authentication')
/** 403. */
export const forbidden = () => new HttpError(403, 'insufficient permissions')
