import { checkConfirmed } from '../../platform/confirm.ts'
import type { InputOf, OutputOf } from '../../../contract/define.ts'
import type { Template } from '../../../contract/domain.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import { placeholdersOf, type TemplateVariable, templateProblems } from '../../../contract/template-text.ts'
import type { templatesContract } from '../../../contract/people/templates.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { SandboxAccess } from '../../ports.ts'
import { type StoredTemplate, type TemplatesRepository, toKnownTemplate } from './templates.repository.ts'
import type { ServiceParts } from '../../service/parts.ts'

type Contract = typeof templatesContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

export type TemplatesService = ReturnType<typeof createTemplatesService>

/** Templates and channels known to Switchboard: created here, or added by id. */
export function createTemplatesService(
  parts: Pick<ServiceParts, 'client' | 'connection' | 'clock'> & {
    repository: TemplatesRepository
    /** Reaches the sandbox, which lists its channels. Called only on the sandbox's connection. */
    openSandbox: () => Promise<SandboxAccess>
  },
) {
  const { repository, client, clock } = parts

  function stored(key: number): StoredTemplate {
    const template = repository.get(key)
    if (!template) throw new AppError('NOT_FOUND', { what: { key: 'what.template' } })
    return template
  }

  const known = (key: number) => toKnownTemplate(stored(key))

  async function channels(): Promise<Output<'channels'>> {
    const own = repository.channels()
    // If the sandbox can't be reached, its channels are missing here.
    const access = parts.connection().kind === 'sandbox' ? await parts.openSandbox().catch(() => null) : null
    const sandboxChannels = access?.channels ?? []
    const items = [
      ...own.map(({ id, label, usedMs }) => {
        const same = sandboxChannels.find((channel) => channel.id === id)
        return {
          id,
          label: label || (same?.name ?? ''),
          ofSandbox: same !== undefined,
          lastUsedAt: isoTime(usedMs),
        }
      }),
      ...sandboxChannels
        .filter(({ id }) => !own.some((channel) => channel.id === id))
        .map(({ id, name }) => ({ id, label: name, ofSandbox: true, lastUsedAt: null })),
    ]
    return { items }
  }

  return {
    list({ text = '', limit, cursor = Number.MAX_SAFE_INTEGER }: Input<'list'>) {
      const { items, total } = repository.list(text.trim(), limit, cursor)
      return {
        items: items.map(toKnownTemplate),
        nextCursor: items.length < limit ? null : items.at(-1)!.key,
        total,
        asOf: isoTime(clock.now()),
      }
    },
    get: ({ key }: Input<'get'>) => known(key),
    /** A template that can be sent. Throws NOT_FOUND, and INVALID_INPUT while it has no service id. */
    toSend(key: number) {
      const template = stored(key)
      if (template.serviceId === null)
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.noServiceId' } })
      return { ...template, serviceId: template.serviceId }
    },
    async create({ name, body, variables }: Input<'create'>) {
      const [problem] = templateProblems(name, body, variables)
      if (problem !== undefined) throw new AppError('INVALID_INPUT', { detail: problem })
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
            // Stored before the request leaves, so that a crash leaves an unconfirmed template.
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
          name,
          ...asMade(made, { body, variables }),
          status: made.status,
          createdAt: made.createdAt,
          updatedAt: made.updatedAt,
          state: 'known',
          origin: 'created',
          problem: null,
        })
        return known(row)
      } catch (error) {
        // The row is still here, so the service may have created it.
        if (key !== null && isAppError(error))
          repository.update(key, { problem: { code: error.code, data: error.data } })
        throw error
      }
    },
    adopt({ serviceId, key, name, body, variables }: Input<'adopt'>) {
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
    async remove({ key, confirmName }: Input<'remove'>): Promise<Output<'remove'>> {
      checkConfirmed(parts.connection(), confirmName)
      const { serviceId } = stored(key)
      if (serviceId === null) throw new AppError('INVALID_INPUT', { detail: { key: 'input.noServiceId' } })
      try {
        await client.templates.delete(serviceId, { lane: 'operator' })
        repository.remove(key)
        return { outcome: 'deleted', template: null }
      } catch (error) {
        if (isAppError(error, 'SERVICE_NOT_FOUND')) {
          repository.update(key, { state: 'not-found', problem: null })
          return { outcome: 'not-found', template: known(key) }
        }
        if (!isAppError(error) || error.acted === 'no') throw error
        repository.update(key, { state: 'deletion-unknown', problem: { code: error.code, data: error.data } })
        return { outcome: 'unknown', template: known(key) }
      }
    },
    forget({ key }: Input<'forget'>) {
      stored(key)
      repository.remove(key)
    },
    channels,
    nameChannel({ id, label }: Input<'nameChannel'>) {
      repository.putChannel({ id, label })
      return channels()
    },
    forgetChannel({ id }: Input<'forgetChannel'>) {
      repository.forgetChannel(id)
      return channels()
    },
    used(key: number) {
      repository.update(key, { lastSentMs: clock.now() })
    },
    /** Remembers a channel over which the service accepted a message. */
    channelUsed: (id: string) => repository.putChannel({ id, usedMs: clock.now() }),
  }
}

/** The text that the service sends, which may not be the one it got, with its placeholders. */
function asMade(made: Template, given: { body: string; variables: TemplateVariable[] }) {
  const { body } = made
  if (!body?.trim() || body === given.body) return given
  const variables = placeholdersOf(body)
    .filter((name) => name !== '' && name.length <= 200)
    .map(
      (name): TemplateVariable =>
        given.variables.find((one) => one.name === name) ?? {
          name,
          type: made.variables[name] === 'number' ? 'number' : 'string',
        },
    )
  return { body, variables }
}

const describedBy = (name: string, body: string, variables: TemplateVariable[]) => ({
  name: name.trim(),
  body: body.trim() === '' ? null : body,
  variables,
})
