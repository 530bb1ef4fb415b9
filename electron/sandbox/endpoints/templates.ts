import {
  type Fields,
  checkPhone,
  onlyFields,
  optionalObject,
  text,
  textCap,
  uuid,
  writtenNumber,
} from '../http/checks.ts'
import { type Endpoint, post, remove } from '../http/endpoint.ts'
import { badRequest, created, notFound, ok } from '../http/reply.ts'
import { placeholdersOf, renderTemplate, startMessage } from '../message-flow.ts'
import { ottMessagesCap } from '../tenant.ts'
import { type OttMessageRecord, type TemplateRecord, type VariableType, toTime } from '../wire.ts'

/** The spec limits no name: any text without braces, line breaks and outer spaces. */
const variableName = /^(?=\S)[^{}\p{Cc}]{1,64}(?<=\S)$/u

/** Variable names and types. Every placeholder of the body must be declared. */
function readVariableTypes(fields: Fields, body: string): Record<string, VariableType> {
  const given = optionalObject(fields, 'variables')
  for (const [name, type] of Object.entries(given)) {
    if (!variableName.test(name)) throw badRequest(`variables: "${name.slice(0, 60)}" is not a variable name`)
    if (type !== 'string' && type !== 'number')
      throw badRequest(`variables.${name} must be "string" or "number"`)
  }
  for (const name of placeholdersOf(body)) {
    if (name === '') throw badRequest('the body has a placeholder without a name')
    if (!Object.hasOwn(given, name))
      throw badRequest(`the body uses "${name.slice(0, 60)}", which variables does not name`)
  }
  return given as Record<string, VariableType>
}

/** Values for a template as texts: none missing, none extra, each of its type. */
function readValues(fields: Fields, template: TemplateRecord): Record<string, string> {
  const given = optionalObject(fields, 'variables')
  for (const name of Object.keys(given))
    if (!Object.hasOwn(template.variables, name))
      throw badRequest(`variables.${name.slice(0, 60)} is not in the template`)
  for (const [name, type] of Object.entries(template.variables)) {
    if (!Object.hasOwn(given, name)) throw badRequest(`variables.${name} is missing`)
    const value = given[name]
    // JSON numbers that are too large read as infinity.
    if (typeof value !== type || value === Infinity || value === -Infinity)
      throw badRequest(`variables.${name} must be a ${type}`)
    if (typeof value === 'string' && value.length > textCap) throw badRequest(`variables.${name} is too long`)
  }
  const texts = Object.entries(given as Record<string, string | number>).map(([name, value]) => [
    name,
    writtenNumber(given, name) ?? String(value),
  ])
  return Object.fromEntries(texts) as Record<string, string>
}

/** The spec's Templates and OTT messages tables. */
export const templateEndpoints: readonly Endpoint[] = [
  post('/templates', 'templates:write', 'json', ({ tenant, fields, nowMs }) => {
    onlyFields(fields, ['name', 'body', 'variables'])
    const name = text(fields, 'name')
    const body = text(fields, 'body')
    const template: TemplateRecord = {
      id: tenant.callDice.uuid(),
      tenant_id: tenant.id,
      name,
      body,
      variables: readVariableTypes(fields, body),
      status: 'active',
      created_at: toTime(nowMs),
      updated_at: toTime(nowMs),
    }
    tenant.templates.set(template.id, template)
    return created(template)
  }),
  remove('/ott/templates/{id}', 'templates:write', ({ tenant, id }) => {
    if (!tenant.templates.delete(id)) throw notFound('template')
    return ok({ message: 'the template was deleted' })
  }),
  post('/ott/messages', 'ott:send', 'json', ({ service, tenant, user, fields, nowMs }) => {
    onlyFields(fields, ['channel_id', 'template_id', 'to', 'variables'])
    const channelId = uuid(fields, 'channel_id')
    const templateId = uuid(fields, 'template_id')
    const to = checkPhone(text(fields, 'to'), 'to')
    const template = tenant.templates.get(templateId)
    if (!tenant.channels.some((channel) => channel.id === channelId))
      throw badRequest('channel_id is not a channel of this tenant')
    if (!template) throw badRequest('template_id is not a template of this tenant')
    const values = readValues(fields, template)
    if (tenant.dnc.has(to)) throw badRequest('the number is on the Do Not Contact list')
    const body = renderTemplate(template.body, values)
    if (body.length > textCap) throw badRequest('the text with its values is too long')
    const id = tenant.callDice.uuid()
    const message: OttMessageRecord = {
      id,
      tenant_id: tenant.id,
      channel_id: channelId,
      template_id: templateId,
      to,
      body,
      status: 'delivered',
      provider_message_id: `ott-${id.slice(0, 13)}`,
      created_at: toTime(nowMs),
    }
    if (tenant.ottMessages.size >= ottMessagesCap)
      tenant.ottMessages.delete(tenant.ottMessages.keys().next().value!)
    tenant.ottMessages.set(id, message)
    // From here on it is a message like any other: it can be looked up, and its reports follow.
    const start = { id, to, body, campaign: null, from: tenant.senders[0]!, userId: user.id }
    const providerMessageId = message.provider_message_id
    service.traffic.drive(tenant, startMessage(tenant, { ...start, providerMessageId }, nowMs))
    return created(message)
  }),
]
