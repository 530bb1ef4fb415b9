import { queryText, readPage } from '../http/checks.ts'
import { type Call, type Endpoint, get, post } from '../http/endpoint.ts'
import { badRequest, notFound, ok } from '../http/reply.ts'
import { toMessageRecord } from '../tenant.ts'
import { messageStatuses } from '../wire.ts'

function messageOf({ tenant, id }: Call) {
  const message = tenant.messages.get(id)
  if (!message) throw notFound('message')
  return message
}

/** The spec's Messages table and the list it refers to. */
export const messageEndpoints: readonly Endpoint[] = [
  get('/messages', 'messages:read', ({ tenant, query }) => {
    const at = readPage(query)
    const status = queryText(query, 'status')
    const known = messageStatuses.find((candidate) => candidate === status)
    if (status !== undefined && known === undefined)
      throw badRequest(`status must be one of ${messageStatuses.join(', ')}`)
    const { items, total } = tenant.messages.page(at.offset, at.perPage, known)
    return ok({
      data: items.map((message) => toMessageRecord(tenant, message)),
      total,
      page: at.page,
      per_page: at.perPage,
    })
  }),
  get('/messages/{id}', 'messages:read', (call) => ok(toMessageRecord(call.tenant, messageOf(call)))),
  post('/messages/{id}/release', 'messages:release', 'none', (call) => {
    const message = messageOf(call)
    if (!message.held) throw badRequest('the message is not held')
    message.held = false
    message.updatedMs = Math.max(call.nowMs, message.updatedMs)
    call.service.traffic.drive(call.tenant, message)
    return ok({ message: 'the message was released for sending' })
  }),
]
