import type * as z from 'zod'
import type { Connection } from '../../../contract/connections.ts'
import { AppError, type ErrorCode, isAppError } from '../../../contract/errors.ts'
import { type TemplateVariable, templateProblems } from '../../../contract/template-text.ts'
import type { KnownTemplate, OttChannel, templatesContract } from '../../../contract/templates.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { SandboxAccess } from '../../ports.ts'
import type { ServiceClient } from '../../service/client/create-service-client.ts'
import { type StoredTemplate, type TemplatesRepository, toKnownTemplate } from './templates.repository.ts'

type Contract = typeof templatesContract
type Input<Name extends keyof Contract> = z.infer<NonNullable<Contract[Name]['~orpc']['inputSchema']>>
type Output<Name extends keyof Contract> = z.infer<NonNullable<Contract[Name]['~orpc']['outputSchema']>>

export interface TemplatesService {
  list(query: { text?: string | undefined; limit: number; cursor?: number | undefined }): Output<'list'>
  get(key: number): KnownTemplate
  /** The template to send by: one that has an id. Throws NOT_FOUND, INVALID_INPUT. */
  toSend(key: number): StoredTemplate & { serviceId: string }
  create(input: Input<'create'>): Promise<KnownTemplate>
  adopt(input: Input<'adopt'>): KnownTemplate
  remove(input: Input<'remove'>): Promise<Output<'remove'>>
  forget(key: number): void
  channels(): Promise<OttChannel[]>
  nameChannel(id: string, label: string): Promise<OttChannel[]>
  forgetChannel(id: string): Promise<OttChannel[]>
  /** Takes note that it was sent by this template over this channel. */
  used(key: number, channelId: string): void
}

/** Plain words of the service, after which nothing is in doubt. */
const plainCodes: ReadonlySet<ErrorCode> = new Set([
  'SERVICE_REJECTED',
  'FORBIDDEN',
  'SESSION_EXPIRED',
  'SIGNED_OUT',
  'API_KEY_REFUSED',
  'RATE_LIMITED',
])

/** The templates and channels this console knows: made here, or adopted by their id. */
export function createTemplatesService(parts: {
  repository: TemplatesRepository
  client: ServiceClient
  connection: () => Connection
  /** How to reach the sandbox, which tells its channels. Asked on a connection to it alone. */
  openSandbox: () => Promise<SandboxAccess>
  clock: Clock
}): TemplatesService {
  const { repository, client, clock } = parts

  function stored(key: number): StoredTemplate {
    const template = repository.get(key)
    if (!template) throw new AppError('NOT_FOUND', { what: 'This template' })
    return template
  }

  const known = (key: number) => toKnownTemplate(stored(key))

  async function channels(): Promise<OttChannel[]> {
    const mine = repository.channels()
    // Its own start tells them; what is not told is no reason to show none.
    const access = parts.connection().kind === 'sandbox' ? await parts.openSandbox().catch(() => null) : null
    const theirs = access?.channels ?? []
    return [
      ...mine.map(({ id, label, usedMs }) => {
        const same = theirs.find((channel) => channel.id === id)
        return {
          id,
          label: label || (same?.name ?? ''),
          ofSandbox: same !== undefined,
          lastUsedAt: isoTime(usedMs),
        }
      }),
      ...theirs
        .filter(({ id }) => !mine.some((channel) => channel.id === id))
        .map(({ id, name }) => ({ id, label: name, ofSandbox: true, lastUsedAt: null })),
    ]
  }

  return {
    list({ text = '', limit, cursor = Number.MAX_SAFE_INTEGER }) {
      const { items, total } = repository.list(text.trim(), limit, cursor)
      return {
        items: items.map(toKnownTemplate),
        nextCursor: items.length < limit ? null : items.at(-1)!.key,
        total,
        asOf: new Date(clock.now()).toISOString(),
      }
    },
    get: known,
    toSend(key) {
      const template = stored(key)
      if (template.serviceId === null)
        throw new AppError('INVALID_INPUT', { detail: 'this template has no id of the service yet' })
      return { ...template, serviceId: template.serviceId }
    },
    async create({ name, body, variables }) {
      const [problem] = templateProblems(name, body, variables)
      if (problem !== undefined) throw new AppError('INVALID_INPUT', { detail: problem.replace(/\.$/, '') })
      let key: number | null = null
      const forget = () => {
        if (key !== null) repository.remove(key)
        key = null
      }
      try {
        const made = await client.templates.create(
          { name, body, variables: Object.fromEntries(variables.map((one) => [one.name, one.type])) },
          {
            lane: 'operator',
            // Before the request leaves: after a crash it is found here as one that nobody confirmed.
            onSend() {
              key ??= repository.add({
                serviceId: null,
                name,
                body,
                variables,
                status: null,
                origin: 'created',
                state: 'unconfirmed',
                problem: { code: 'CRASHED_IN_FLIGHT', data: {} },
                knownMs: clock.now(),
                lastSentMs: null,
                createdAt: null,
                updatedAt: null,
              })
            },
            onNotDone: forget,
          },
        )
        const twin = repository.byServiceId(made.id)
        if (twin && key !== null && twin.key !== key) forget()
        const row = twin?.key ?? key!
        repository.update(row, {
          serviceId: made.id,
          status: made.status,
          createdAt: made.createdAt,
          updatedAt: made.updatedAt,
          state: 'known',
          origin: 'created',
          problem: null,
        })
        return known(row)
      } catch (error) {
        if (key === null) throw error
        // A fault of our own after the request left says nothing of what the service did: the row stays as it is.
        if (isAppError(error, 'OUTCOME_UNKNOWN'))
          repository.update(key, { problem: { code: error.code, data: error.data } })
        else if (isAppError(error)) forget()
        throw error
      }
    },
    adopt({ serviceId, key, name, body, variables }) {
      const owner = repository.byServiceId(serviceId)
      const text = describedBy(name, body, variables)
      if (key !== undefined) {
        const template = stored(key)
        if (owner && owner.key !== key)
          throw new AppError('TEMPLATE_IN_USE', { name: owner.name || serviceId })
        repository.update(key, { ...text, serviceId, state: 'known', problem: null, status: template.status })
        return known(key)
      }
      if (owner) {
        repository.update(owner.key, { ...text, state: 'known', problem: null })
        return known(owner.key)
      }
      return known(
        repository.add({
          ...text,
          serviceId,
          status: null,
          origin: 'adopted',
          state: 'known',
          problem: null,
          knownMs: clock.now(),
          lastSentMs: null,
          createdAt: null,
          updatedAt: null,
        }),
      )
    },
    async remove({ key, confirmName }) {
      const { production, name } = parts.connection()
      if (production && confirmName !== name) throw new AppError('CONFIRMATION_MISMATCH', { name })
      const { serviceId } = stored(key)
      if (serviceId === null)
        throw new AppError('INVALID_INPUT', { detail: 'this template has no id of the service' })
      /** Tries that left and of which it is not known that nothing was done. */
      let tries = 0
      try {
        await client.templates.delete(serviceId, {
          lane: 'operator',
          onSend: () => void tries++,
          onNotDone: () => void tries--,
        })
        repository.remove(key)
        return { outcome: 'deleted', template: null }
      } catch (error) {
        if (isAppError(error, 'SERVICE_NOT_FOUND')) {
          repository.update(key, { state: 'not-found', problem: null })
          return { outcome: 'not-found', template: known(key) }
        }
        if (tries === 0 || !isAppError(error) || plainCodes.has(error.code)) throw error
        repository.update(key, {
          state: 'deletion-unknown',
          problem: { code: error.code, data: error.data },
        })
        return { outcome: 'unknown', template: known(key) }
      }
    },
    forget(key) {
      stored(key)
      repository.remove(key)
    },
    channels,
    nameChannel(id, label) {
      repository.putChannel({ id, label })
      return channels()
    },
    forgetChannel(id) {
      repository.forgetChannel(id)
      return channels()
    },
    used(key, channelId) {
      repository.update(key, { lastSentMs: clock.now() })
      repository.putChannel({ id: channelId, usedMs: clock.now() })
    },
  }
}

/** What was typed of an adopted template. Without a text nothing can be shown of it. */
const describedBy = (name: string, body: string, variables: TemplateVariable[]) => ({
  name: name.trim(),
  body: body.trim() === '' ? null : body,
  variables,
})
