import { describe, expect, it } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { itemSelectionSchema, type OutboxFilter } from '#contract/people/outbox.ts'
import {
  actOn,
  checkResend,
  filterFor,
  idsFor,
  outcomeSentence,
} from '../../../../../renderer/src/features/outbox/item-actions.ts'
import { createItemSelection } from '../../../../../renderer/src/features/outbox/item-selection.ts'
import {
  outboxAddressSchema,
  partsOf,
  filterOf,
} from '../../../../../renderer/src/features/outbox/outbox-filter.ts'
import { toggled } from '../../../../../renderer/src/shared/list/row-selection.ts'
import { invalidWords } from '../../../../../renderer/src/shared/list/use-address-filter.ts'
import { markDoneKind, outcomeText } from '../../../../../renderer/src/features/outbox/outbox-words.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'
import { outboxItems } from '../../../../helpers/scripted/outbox.ts'

const mixed = outboxItems(6, 1, 'b', 'create-contact', (at) =>
  at < 2 ? 'unknown' : at < 4 ? 'rejected' : 'queued',
)

describe('an action on selected requests', () => {
  it('applies only to requests in a fitting state', () => {
    expect(idsFor(mixed, 'send-again')).toEqual([1, 2])
    expect(idsFor(mixed, 'retry')).toEqual([3, 4])
    expect(idsFor(mixed, 'cancel')).toEqual([5, 6])
  })

  it('never widens a filter to other states', () => {
    expect(filterFor({ states: ['done', 'queued'], text: 'a' }, 'cancel')).toEqual({
      states: ['queued'],
      text: 'a',
    })
    expect(filterFor({ states: ['in-flight', 'blocked'] }, 'cancel')).toEqual({ states: ['blocked'] })
    expect(filterFor({ states: ['done'] }, 'cancel')).toBeNull()
    expect(filterFor({}, 'send-again')).toEqual({ states: ['unknown'] })
  })

  it('is split into several calls, and reports what was done before a failure', async () => {
    const asked: number[] = []
    const client = {
      outbox: {
        cancel: async ({ selection }: { selection: { ids: number[] } }) => {
          if (asked.length === 2) throw new AppError('STORAGE_BUSY')
          asked.push(selection.ids.length)
          return { cancelled: selection.ids.length - 3, left: 3 }
        },
      },
    } as unknown as Client
    const ids = Array.from({ length: 22_000 }, (_id, at) => at + 1)
    const { outcome, error } = await actOn(client, 'cancel', { ids })
    expect(asked).toEqual([10_000, 10_000])
    expect(outcome).toEqual({ taken: 19_994, left: 6, blocked: 0 })
    expect(error).not.toBeNull()
  })

  it('is checked in several calls before resending', async () => {
    const blocked = [{ id: 1, phone: '+1', reason: 'STOP' }]
    const client = {
      sendReports: {
        resendCheck: async ({ selection }: { selection: { ids: number[] } }) => ({
          reports: [],
          blocked,
          blockedCount: selection.ids.length,
          more: selection.ids.length === 2_000,
        }),
      },
    } as unknown as Client
    const ids = Array.from({ length: 12_000 }, (_id, at) => at + 1)
    expect(await checkResend(client, { ids }, false, new AbortController().signal)).toMatchObject({
      blocked: [...blocked, ...blocked],
      blockedCount: 12_000,
      more: true,
    })
  })

  it('sends the typed name and ID, nothing empty and nothing that is skipped', async () => {
    const inputs: unknown[] = []
    const client = {
      outbox: {
        resolve: async (input: unknown) => (inputs.push(input), { resolved: 1, left: 0, blocked: 0 }),
      },
    } as unknown as Client
    await actOn(client, 'send-again', { ids: [1, 2] }, { confirmName: 'Acme', skipIds: [2] })
    await actOn(client, 'send-again', { filter: {}, exceptIds: [1] }, { skipIds: [2] })
    const ids = Array.from({ length: 20_000 }, (_id, at) => at)
    await actOn(
      client,
      'send-again',
      { filter: {}, exceptIds: ids.slice(10_000) },
      { skipIds: ids.slice(0, 10_000) },
    )
    expect(itemSelectionSchema.safeParse((inputs.pop() as { selection: unknown }).selection).success).toBe(
      true,
    )
    await actOn(client, 'mark-done', { ids: [1] }, { serviceId: '' })
    await actOn(client, 'mark-done', { ids: [1] }, { serviceId: 'con-9' })
    expect(inputs).toEqual([
      { selection: { ids: [1] }, how: 'send-again', confirmName: 'Acme' },
      { selection: { filter: {}, exceptIds: [1, 2] }, how: 'send-again' },
      { selection: { ids: [1] }, how: 'mark-done' },
      { selection: { ids: [1] }, how: 'mark-done', serviceId: 'con-9' },
    ])
  })

  it('says what was skipped', () => {
    expect(outcomeSentence('retry', { taken: 14, left: 0, blocked: 0 })).toBe('14 requeued.')
    expect(outcomeSentence('cancel', { taken: 1, left: 1, blocked: 0 })).toBe(
      '1 cancelled. 1 skipped: its status had changed.',
    )
    expect(outcomeSentence('send-again', { taken: 3, left: 2, blocked: 0 })).toBe(
      '3 queued to resend. 2 skipped: their status had changed.',
    )
    expect(outcomeSentence('retry', { taken: 1, left: 0, blocked: 2 })).toBe(
      '1 requeued. 2 mustn’t be contacted.',
    )
  })
})

describe('the selection', () => {
  const selectionOver = (total: number, filter: OutboxFilter = {}) =>
    createItemSelection({ rows: () => mixed, filter: () => filter, total: () => total })

  it('of everything is sent as IDs while all are loaded, else as the filter', () => {
    const whole = selectionOver(6)
    whole.all()
    expect(whole.selectionFor('retry')).toEqual({ selection: { ids: [3, 4] }, count: 2 })
    const beyond = selectionOver(90_000, { batchId: 'b' })
    beyond.all()
    expect(beyond.selectionFor('retry')).toEqual({
      selection: { filter: { batchId: 'b', states: ['rejected', 'not-sent', 'held'] }, exceptIds: [] },
      count: null,
    })
  })

  it('of everything but one keeps those that are not loaded', () => {
    const selection = selectionOver(60_000)
    selection.all()
    selection.toggle(6)
    expect(selection.count.value).toBe(59_999)
    expect([selection.has(6), selection.has(5), selection.has(50_000)]).toEqual([false, true, true])
    expect(selection.selectionFor('cancel')?.selection).toMatchObject({ exceptIds: [6] })
    selection.toggle(6)
    expect(selection.everyone.value).toBe(true)
    selection.clear()
    expect(selection.count.value).toBe(0)
  })

  it('of everything but one is sent as the other IDs while all are loaded', () => {
    const selection = selectionOver(6)
    selection.all()
    selection.toggle(6)
    expect(selection.count.value).toBe(5)
    expect(selection.selectionFor('cancel')).toEqual({ selection: { ids: [5] }, count: 1 })
    selection.clear()
    selection.clear()
    expect(selection.actions.value).toEqual([])
  })
})

describe('the filter in the address', () => {
  function read(query: Record<string, unknown>) {
    const address = outboxAddressSchema.parse(query)
    return { filter: filterOf(address), invalid: invalidWords(address, query) }
  }

  it('is read with all its parts', () => {
    expect(
      read({
        state: 'queued,unknown',
        operation: 'delete-contact',
        batch: 'b-1',
        contact: '7',
        text: ' ada ',
      }),
    ).toEqual({
      filter: {
        states: ['unknown', 'queued'],
        operations: ['delete-contact'],
        batchId: 'b-1',
        contactId: 7,
        text: 'ada',
      },
      invalid: [],
    })
  })

  it('names invalid parts', () => {
    expect(read({ state: 'lost,done', contact: 'ada', text: '  ' })).toEqual({
      filter: { states: ['done'] },
      invalid: ['lost', 'ada'],
    })
  })

  it('adds and removes a status', () => {
    expect(toggled([], 'done')).toEqual(['done'])
    expect(toggled(['done', 'queued'], 'done')).toEqual(['queued'])
  })

  it('lists unconfirmed requests and the one being sent before the rest', () => {
    expect(partsOf({}).map(({ states }) => states?.length)).toEqual([1, 1, 11])
    expect(partsOf({ states: ['unknown'] })).toEqual([{ states: ['unknown'] }])
  })
})

describe('the result of a request', () => {
  const unconfirmed = (data: Record<string, string | number>) =>
    outcomeText({ ...mixed[0]!, problem: { ...mixed[0]!.problem!, data } })

  it('is the service’s own words, or how it was resolved', () => {
    expect(outcomeText(mixed[2]!)).toBe('“phone is not a mobile number”')
    expect(outcomeText({ ...mixed[0]!, resolution: 'sent-again' })).toBe('Resent manually')
    expect(outcomeText(mixed[4]!)).toBe('Not sent yet')
    const erased = { ...mixed[0]!, operation: 'send-ott' as const, phone: '' }
    expect(outcomeText(erased)).toBe('Erased on request')
    expect(outcomeText({ ...erased, resolution: 'sent-again' })).toBe('Resent manually')
    expect(outcomeText(mixed[4]!, 'hold')).toBe('On hold: won’t be sent')
    const [sent] = outboxItems(1, 1, 'b', 'send-ott', () => 'done')
    expect(outcomeText({ ...sent!, serviceId: 'm-1', serviceStatus: 'failed' })).toBe(
      'The service says “Failed”. ID m-1',
    )
    expect(outcomeText({ ...sent!, serviceId: null, serviceStatus: 'failed' })).toBe(
      'The service says “Failed”.',
    )
    expect(outcomeText({ ...sent!, serviceId: 'm-1' })).toBe('ID m-1')
    expect(outcomeText(mixed[0]!, 'dnc')).toMatch(/^On the DNC list\. .*may have been done$/)
  })

  it('always says that an unconfirmed one may have been done', () => {
    expect(unconfirmed({ reason: 'SERVICE_TIMEOUT' })).toBe('Timed out; may have been done')
    expect(unconfirmed({ status: 502 })).toBe('HTTP 502; may have been done')
    expect(unconfirmed({ status: 502, serviceText: 'Bad gateway' })).toBe(
      'HTTP 502, “Bad gateway”; may have been done',
    )
    expect(unconfirmed({})).toBe('Unconfirmed; may have been done')
  })

  it('is named by kind when all are of one kind', () => {
    expect(markDoneKind(['create-contact', 'create-contact'])).toBe('create-contact')
    expect(markDoneKind(['create-contact', 'delete-contact'])).toBe('mixed')
  })
})
