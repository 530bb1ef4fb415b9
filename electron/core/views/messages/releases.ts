import { checkConfirmed } from '../../platform/confirm.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import type { ErrorView, InputOf, OutputOf } from '../../../contract/define.ts'
import type { Phrase, Said } from '../../../contract/phrases.ts'
import { randomUUID } from 'node:crypto'
import type { Message } from '../../../contract/domain.ts'
import { AppError, type ErrorCode, isAppError, isOfItem, isRefusal } from '../../../contract/errors.ts'
import type { MessageRelease, messagesContract } from '../../../contract/views/messages.ts'
import { mayBeHeld } from '../../../contract/words.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { possibleNumbers } from '../../../lib/phone/possible-numbers.ts'
import { checkFresh } from '../../people/dnc/dnc-list.ts'
import type { DncService } from '../../people/dnc/dnc.service.ts'
import { isUnderWay, type TaskContext, TaskStopped } from '../../platform/tasks/tasks.service.ts'
import type { ReleasesRepository, Settled } from './releases.repository.ts'
import type { ServiceParts } from '../../service/parts.ts'

type Input<Name extends 'release' | 'planRelease' | 'releaseMany'> = InputOf<typeof messagesContract, Name>

export type ReleaseDnc = Pick<DncService, 'blockedBecause' | 'inboundProblem' | 'isProvenClear' | 'listState'>

/** Every number that a recipient may be, the likeliest first. Unless `isRead`, it may be others too. */
interface Recipient {
  numbers: readonly number[]
  isRead: boolean
}

interface How {
  lane: 'operator' | 'bulk'
  uncheckedKnowingly: boolean
  signal?: AbortSignal
}

interface RunPayload {
  runId: string
  uncheckedKnowingly: boolean
}

/** Requests per release: read, release, read again. */
const requestsEach = 3
/** Between looks whether a run may go on. */
const lookEveryMs = 500
/** A run stops after this many unconfirmed releases in a row, before more messages are in doubt. */
const unknownInRowMax = 3

const notChecked = (state: Phrase) => new AppError('DNC_LIST_NOT_FRESH', { state })

/**
 * Releases held messages. Each is read before, to skip those no longer held or whose recipient mustn't be contacted, and
 * after, to check the result. A release is stored before it leaves and is never repeated automatically. What keeps a message in the
 * outbox keeps a release, too: a run waits, a single one is refused.
 */
export function createReleases(
  parts: Pick<ServiceParts, 'client' | 'tasks' | 'connection' | 'clock'> & {
    repository: ReleasesRepository
    dnc: ReleaseDnc
    /** Called with every record read. */
    onRecord: (record: Message) => void
  },
) {
  const { repository, client, tasks, dnc, clock } = parts
  /** Releases in progress, and calls waiting for them, by message. */
  const underWay = new Map<string, Promise<MessageRelease>>()
  /** Why a run waits, by its id. */
  const waiting = new Map<string, ErrorView>()
  const oneUnderWay = new Map<string, Promise<MessageRelease>>()
  repository.settleInterrupted(clock.now())

  async function read(id: string, lane: 'operator' | 'bulk', signal?: AbortSignal): Promise<Message> {
    const record = await client.messages.get(id, { lane, ...(signal ? { signal } : {}) })
    parts.onRecord(record)
    return record
  }

  function recipientOf(to: string | null): Recipient {
    const { digits, all } = possibleNumbers(to ?? '', parts.connection().country)
    const isRead = digits !== null
    return { numbers: isRead ? [...new Set([digits, ...all])] : all, isRead }
  }

  /** Why a recipient with these numbers mustn't be contacted; null if nothing is known against it. */
  const blockedBecause = ({ numbers: [digits, ...others] }: Recipient): AppError | null =>
    digits === undefined ? null : dnc.blockedBecause(digits, others)

  /** Throws SENDS_WAIT_FOR_INBOUND while opt-outs can't be read. */
  function checkInbound(): void {
    const state = dnc.inboundProblem()
    if (state) throw new AppError('SENDS_WAIT_FOR_INBOUND', { state })
  }

  /** Throws unless a recipient may be contacted now. `isProvenClear`: by the service, as before a single send. */
  function checkRecipient(recipient: Recipient, isProvenClear: boolean, knowingly: boolean): void {
    const blocked = blockedBecause(recipient)
    if (blocked) throw blocked
    if (knowingly) return
    if (!isProvenClear) checkFresh(dnc.listState(), false)
    if (!recipient.isRead) throw notChecked({ key: 'dnc.noNumber' })
    checkInbound()
  }

  /** Waits until opt-outs can be read, unless a person chose to go on. */
  async function untilInbound(runId: string, { uncheckedKnowingly, signal }: How): Promise<void> {
    try {
      for (let state; !uncheckedKnowingly && (state = dnc.inboundProblem());) {
        waiting.set(runId, viewOf(new AppError('SENDS_WAIT_FOR_INBOUND', { state })))
        await clock.sleep(lookEveryMs, signal)
      }
    } finally {
      waiting.delete(runId)
    }
  }

  /** The status after the release; null if it can't be read. */
  const statusAfter = (id: string, lane: 'operator' | 'bulk', signal?: AbortSignal) =>
    read(id, lane, signal).then(
      ({ status }) => status,
      () => null,
    )

  /** Releases the message of `seq`. Throws errors that don't concern this message, such as SENDS_WAIT_FOR_INBOUND; it then waits again. */
  async function release(
    seq: number,
    id: string,
    { lane, uncheckedKnowingly, signal }: How,
  ): Promise<MessageRelease> {
    const settle = (settled: Settled) => {
      repository.settle(seq, settled, clock.now())
      return repository.get(seq)
    }
    // After the request has left, a stop waits for the answer. Only a shutdown does not.
    const giveUp = new AbortController()
    let hasLeft = false
    const onAbort = () => {
      if (!hasLeft || signal?.reason instanceof TaskStopped) giveUp.abort(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    let before: Message | null = null
    try {
      before = await read(id, lane, giveUp.signal)
      const { status } = before
      if (!mayBeHeld(status)) return settle({ state: 'not-held', statusAfter: status })
      const recipient = recipientOf(before.to)
      const [digits, ...others] = recipient.numbers
      const isProvenClear =
        lane === 'operator' && recipient.isRead && (await dnc.isProvenClear(digits!, others))
      const word = await client.messages.release(id, {
        lane,
        signal: giveUp.signal,
        onSend() {
          checkRecipient(recipient, isProvenClear, uncheckedKnowingly)
          repository.leaves(seq, clock.now())
          hasLeft = true
        },
        onNotDone() {
          repository.cameBack(seq)
          hasLeft = false
        },
      })
      const after = await statusAfter(id, lane, giveUp.signal)
      return settle({ state: 'released', statusAfter: after, serviceText: word.message })
    } catch (error) {
      const statusBefore = before?.status ?? null
      if (!isAppError(error)) {
        if (hasLeft) settle({ state: 'unknown' })
        throw error
      }
      if (error.code === 'SENDS_WAIT_FOR_INBOUND') throw error
      if (error.code === 'ON_DNC' || error.code === 'DNC_LIST_NOT_FRESH')
        return settle({ state: 'failed', statusAfter: statusBefore, problem: error })
      const refused = before !== null && (isRefusal(error) || isAppError(error, 'FORBIDDEN'))
      if (hasLeft || refused) {
        const { serviceText } = error.data
        const after = await statusAfter(id, lane, giveUp.signal)
        // It left the state it was held in, so the release worked.
        if (!refused && statusBefore !== null && after !== null && after !== statusBefore)
          return settle({ state: 'released', statusAfter: after })
        return settle({
          state: refused ? 'refused' : 'unknown',
          statusAfter: after,
          serviceText: refused && typeof serviceText === 'string' ? serviceText : null,
          problem: error,
        })
      }
      if (isOfItem(error)) return settle({ state: 'failed', problem: error })
      throw error
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Like `release`, but one at a time per message: others wait for the running one. */
  async function inTurn(seq: number, id: string, how: How): Promise<MessageRelease> {
    const other = await underWay.get(id)?.catch(() => null)
    if (other?.state === 'released') {
      const { statusAfter: status } = other
      repository.settle(seq, { state: 'not-held', statusAfter: status }, clock.now())
      return repository.get(seq)
    }
    const current = release(seq, id, how)
    underWay.set(id, current)
    return current.finally(() => underWay.delete(id))
  }

  async function releaseOne(id: string, uncheckedKnowingly: boolean): Promise<MessageRelease> {
    const [seq] = repository.add([id], null, clock.now())
    try {
      return await inTurn(seq!, id, { lane: 'operator', uncheckedKnowingly })
    } catch (error) {
      if (!isAppError(error)) throw error
      const isWait = error.code === 'SENDS_WAIT_FOR_INBOUND'
      const problem = isWait ? notChecked(error.data['state'] as Phrase) : error
      repository.settle(seq!, { state: 'failed', problem }, clock.now())
      return repository.get(seq!)
    }
  }

  async function runAll({ payload, report, pausePoint, signal }: TaskContext<RunPayload>): Promise<void> {
    const releases = repository.ofRun(payload.runId)?.releases ?? []
    const counts: Record<string, number> = {}
    let done = 0
    let unknownInRow = 0
    const count = (release: MessageRelease) => {
      counts[release.state] = (counts[release.state] ?? 0) + 1
      report({ done: ++done, total: releases.length, counts })
    }
    for (const release of releases) if (release.state !== 'waiting') count(release)
    for (const { seq, messageId } of releases.filter(({ state }) => state === 'waiting')) {
      const how = { lane: 'bulk' as const, uncheckedKnowingly: payload.uncheckedKnowingly, signal }
      let settled: MessageRelease | null = null
      while (!settled) {
        await untilInbound(payload.runId, how)
        await pausePoint()
        settled = await inTurn(seq, messageId, how).catch((error: unknown) => {
          if (isAppError(error, 'SENDS_WAIT_FOR_INBOUND')) return null
          throw error
        })
      }
      count(settled)
      unknownInRow = settled.state === 'unknown' ? unknownInRow + 1 : 0
      const { problem } = settled
      if (unknownInRow === unknownInRowMax || problem?.code === 'FORBIDDEN')
        throw new AppError(problem!.code as ErrorCode, problem!.data)
    }
  }

  tasks.define<RunPayload>('message-release', {
    unit: 'messages',
    canPause: true,
    resumable: true,
    run: runAll,
  })
  const taskOf = (runId: string) =>
    tasks.list().find(({ kind, refId }) => kind === 'message-release' && refId === runId) ?? null

  return {
    /**
     * Releases one message; simultaneous calls share the result, which includes the service's errors. Throws
     * CONFIRMATION_MISMATCH and DNC_LIST_NOT_FRESH.
     */
    release({ id, uncheckedKnowingly, confirmName }: Input<'release'>): Promise<MessageRelease> {
      checkConfirmed(parts.connection(), confirmName)
      checkFresh(dnc.listState(), uncheckedKnowingly)
      const state = uncheckedKnowingly ? null : dnc.inboundProblem()
      if (state) throw notChecked(state)
      const running =
        oneUnderWay.get(id) ?? releaseOne(id, uncheckedKnowingly).finally(() => oneUnderWay.delete(id))
      oneUnderWay.set(id, running)
      return running
    },
    planRelease({ messages }: Input<'planRelease'>): OutputOf<typeof messagesContract, 'planRelease'> {
      return {
        etaMs: client.budget.estimateMs(messages.length * requestsEach),
        unknown: messages.flatMap(({ id }) => {
          const last = repository.ofMessage(id).at(-1)
          return last?.state === 'unknown' ? [last] : []
        }),
        blocked: messages.flatMap(({ id, to }) => {
          const problem = blockedBecause(recipientOf(to))
          return problem ? [{ id, to: to!, reason: problem.data['reason'] as Said }] : []
        }),
        withoutNumber: messages.filter(({ to }) => !recipientOf(to).isRead).length,
        dncList: dnc.listState(),
      }
    },
    /** Throws CONFIRMATION_MISMATCH, DNC_LIST_NOT_FRESH, and TASK_NOT_POSSIBLE while another run is in progress. */
    releaseMany({ ids, uncheckedKnowingly, confirmName }: Input<'releaseMany'>): {
      runId: string
      taskId: string
    } {
      checkConfirmed(parts.connection(), confirmName)
      checkFresh(dnc.listState(), uncheckedKnowingly)
      if (tasks.list().some((one) => one.kind === 'message-release' && isUnderWay(one)))
        throw new AppError('TASK_NOT_POSSIBLE', { state: { key: 'state.alreadyRunning' } })
      const distinct = [...new Set(ids)]
      const runId = randomUUID()
      repository.add(distinct, runId, clock.now())
      const subject: Phrase = { key: 'subject.messages', n: distinct.length }
      const task = tasks.start('message-release', {
        subject,
        payload: { runId, uncheckedKnowingly },
        refId: runId,
        total: distinct.length,
      })
      return { runId, taskId: task.id }
    },
    /** A run, or the newest one; null without any. */
    run(asked: { runId?: string | undefined }): OutputOf<typeof messagesContract, 'run'> {
      const runId = asked.runId ?? repository.newestRun()
      const found = runId === null ? null : repository.ofRun(runId)
      if (runId === null || !found) return null
      const task = taskOf(runId)
      return {
        runId,
        taskId: task?.id ?? null,
        isRunning: task !== null && isUnderWay(task),
        isPaused: task?.state === 'paused',
        waits: waiting.get(runId) ?? null,
        startedAt: isoTime(found.startedMs),
        releases: found.releases,
      }
    },
  }
}
