import {
  checkEmail,
  checkPhone,
  onlyFields,
  optionalText,
  paginate,
  readPage,
  requiredQuery,
  stringMap,
  text,
} from '../http/checks.ts'
import { type Endpoint, get, post, remove } from '../http/endpoint.ts'
import { created, notFound, ok } from '../http/reply.ts'
import { addContact } from '../tenant.ts'
import { type ContactRecord, toTime } from '../wire.ts'

/** The spec's Contacts, Scheduled messages, DNC and Error codes tables. */
export const listEndpoints: readonly Endpoint[] = [
  post('/contacts', 'contacts:write', 'json', ({ tenant, fields, nowMs }) => {
    onlyFields(fields, ['name', 'phone', 'email', 'tags'])
    const name = text(fields, 'name')
    const phone = checkPhone(text(fields, 'phone'), 'phone')
    const email = optionalText(fields, 'email')
    const contact: ContactRecord = {
      id: tenant.callDice.uuid(),
      tenant_id: tenant.id,
      name,
      phone,
      ...(email === undefined ? {} : { email: checkEmail(email, 'email') }),
      tags: stringMap(fields, 'tags'),
      created_at: toTime(nowMs),
      updated_at: toTime(nowMs),
    }
    addContact(tenant, contact)
    return created(contact)
  }),
  remove('/contacts/{id}', 'contacts:write', ({ tenant, id }) => {
    if (!tenant.contacts.delete(id)) throw notFound('contact')
    return ok({ message: 'the contact was deleted' })
  }),
  get('/scheduled-messages', 'scheduled:read', ({ tenant, query }) => {
    const at = readPage(query)
    const byTime = [...tenant.scheduled.values()].sort((a, b) => (a.scheduled_at < b.scheduled_at ? 1 : -1))
    return ok(paginate(byTime, at, (scheduled) => scheduled))
  }),
  get('/dnc', 'dnc:read', ({ tenant, query }) => {
    const at = readPage(query)
    const data = []
    // May hold a million numbers, so no copy.
    let index = 0
    for (const entry of tenant.dnc.values()) {
      if (index >= at.offset + at.perPage) break
      if (index++ >= at.offset) data.push(entry)
    }
    return ok({ data, total: tenant.dnc.size, page: at.page, per_page: at.perPage })
  }),
  get('/dnc/check', 'dnc:read', ({ tenant, query }) => {
    const phone = checkPhone(requiredQuery(query, 'phone_number'), 'phone_number')
    const entry = tenant.dnc.get(phone)
    return ok({ is_blocked: entry !== undefined, entry: entry ?? null })
  }),
  get('/error-codes/search', 'error-codes:read', ({ service, query }) => {
    const needle = requiredQuery(query, 'q').trim().toLowerCase()
    return ok(
      service.errorCodes.filter(
        (record) =>
          record.code.toLowerCase().includes(needle) || record.description.toLowerCase().includes(needle),
      ),
    )
  }),
]
