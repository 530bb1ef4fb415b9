import type { InputOf } from '../../../contract/define.ts'
import type { Phrase } from '../../../contract/phrases.ts'
import type { DncList } from '../../../contract/people/dnc.ts'
import { AppError } from '../../../contract/errors.ts'
import type { SentMessage } from '../../../contract/people/sent.ts'
import type { templatesContract } from '../../../contract/people/templates.ts'
import { toPhoneRegion, parsePhone } from '../../../lib/phone/parse-phone.ts'
import { numbersMeantBy } from '../../../lib/phone/possible-numbers.ts'
import { keptNumber, readLoneNumber } from '../../../contract/strict-number.ts'
import { checkConfirmed } from '../../platform/confirm.ts'
import { checkFresh, copyProblem } from '../dnc/dnc-list.ts'
import type { OutboxService } from '../outbox/outbox.service.ts'
import { ottItem } from './ott-item.ts'
import type { SentMessages } from './sent-messages.ts'
import type { TemplatesService } from './templates.service.ts'
import type { PlatformParts } from '../../platform/parts.ts'

type Input = InputOf<typeof templatesContract, 'send'>

/** Earlier messages with the same template to the same number are shown for this long. */
export const repeatMs = 24 * 3_600_000
/** Number of earlier messages shown. */
const repeatsMax = 5

export type SendOne = ReturnType<typeof createSendOne>

export function createSendOne(
  parts: Pick<PlatformParts, 'clock' | 'connection'> & {
    templates: TemplatesService
    sent: SentMessages
    outbox: OutboxService
    dncList: () => DncList
    /** Why a number, or what else its text may mean, must not be contacted now; null if it may. */
    blockedBecause: (digits: number, others: readonly number[]) => AppError | null
    /** Whether the service proves them clear now. Throws ON_DNC if it blocks one. */
    isProvenClear: (digits: number, others: readonly number[]) => Promise<boolean>
    /** Until when and for whom that counts, if it is asked now. */
    clearance: () => { clearUntilMs: number; clearBy: string | null }
    nameOf: (contactId: number) => string | null
  },
) {
  const { templates, outbox } = parts
  const read = (to: string, region: string | null) => parsePhone(to, { region: toPhoneRegion(region) })

  function earlier({ key, to, region }: { key: number; to: string; region: string | null }): SentMessage[] {
    const { serviceId } = templates.toSend(key)
    const parsed = read(to, region)
    if (!parsed.ok) return []
    const sinceMs = parts.clock.now() - repeatMs
    return parts.sent.to(parsed.e164, { templateId: serviceId, sinceMs, limit: repeatsMax })
  }

  /** Queues one message as its own batch, unless the number must not be contacted or isn't known to be clear. */
  async function queue(order: {
    to: string
    region: string | null
    uncheckedKnowingly: boolean
    /** Throws when the message is no longer wanted. Nothing comes between it and the outbox. */
    checkWanted?: () => void
    kind: 'ott' | 'test'
    title: (phone: string) => Phrase
    message: Parameters<typeof ottItem>[0]
    recipient: Pick<Parameters<typeof ottItem>[1], 'name' | 'contactId' | 'values' | 'valuesOf'>
  }): Promise<{ batchId: string; itemId: number }> {
    const { to, region, kind, title, message, recipient } = order
    const parsed = read(to, region)
    if (!parsed.ok) throw new AppError('NUMBER_INVALID', { phone: to.slice(0, 60), reason: parsed.reason })
    const others = numbersMeantBy(to, parsed, region).filter((one) => one !== parsed.digits)
    const blocked = parts.blockedBecause(parsed.digits, others)
    if (blocked) throw blocked
    const clearance = parts.clearance()
    // Asked in any case: it throws for a number that only the service lists.
    const isProvenClear = await parts.isProvenClear(parsed.digits, others)
    if (!isProvenClear) checkFresh(parts.dncList(), order.uncheckedKnowingly)
    order.checkWanted?.()
    const unchecked = copyProblem(parts.dncList()) !== null && order.uncheckedKnowingly
    const { batchId } = outbox.begin({ kind, title: title(parsed.e164), unchecked })
    const item = ottItem(message, { ...recipient, phone: parsed.e164, others })
    const [itemId] = outbox.add(batchId, [{ ...item, ...(isProvenClear && clearance) }])
    outbox.go()
    return { batchId, itemId: itemId! }
  }

  async function send(input: Input): Promise<{ batchId: string; itemId: number }> {
    const { key, channelId, to, region, contactId, values: given, allowEmpty, uncheckedKnowingly } = input
    checkConfirmed(parts.connection(), input.confirmName)
    const { serviceId, variables, name } = templates.toSend(key)
    const extra = given.find((one) => !variables.some((variable) => variable.name === one.name))
    if (extra) throw new AppError('INVALID_INPUT', { detail: { key: 'input.noVariable', name: extra.name } })
    const values = variables.map((variable) => {
      const text = given.find((one) => one.name === variable.name)?.value ?? ''
      if (text.trim() === '' && !(allowEmpty && variable.type === 'string'))
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.emptyValue', name: variable.name } })
      if (variable.type === 'string') return { name: variable.name, value: text }
      const number = readLoneNumber(text)
      if (!number.ok)
        throw new AppError('INVALID_INPUT', {
          detail: { key: 'input.valueOf', name: variable.name, reason: number.reason },
        })
      return { name: variable.name, value: keptNumber(number.text) }
    })
    const person = contactId === null ? null : parts.nameOf(contactId)
    const sent = await queue({
      to,
      region,
      uncheckedKnowingly,
      kind: 'ott',
      title: (phone) => ({ key: 'batch.sendOne', template: name || serviceId, phone }),
      message: { templateId: serviceId, channelId, types: variables },
      recipient: { name: person ?? '', contactId: person === null ? null : contactId, values },
    })
    templates.used(key)
    return sent
  }

  return { send, queue, earlier }
}
