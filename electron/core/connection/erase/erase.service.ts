import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  eraseContract,
  ErasedFile,
  ErasedPlace,
  EraseReceipt,
  KeptReason,
} from '../../../contract/connection/erase.ts'
import type { InputOf } from '../../../contract/define.ts'
import { AppError } from '../../../contract/errors.ts'
import { repeatsNational } from '../../../contract/number-text.ts'
import { saidOf, storedText } from '../../../contract/phrases.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { nationalForms } from '../../../lib/phone/number-digits.ts'
import { otherSpellings } from '../../../lib/phone/other-spellings.ts'
import { possibleNumbers } from '../../../lib/phone/possible-numbers.ts'
import type { JournalReader } from '../../../listener/journal-reader.ts'
import type { ContactStore } from '../../people/contact-store/contact-store-client.ts'
import type { HoldsRepository } from '../../people/dnc/holds.repository.ts'
import type { Projector } from '../../live/events/projector.ts'
import type { ListenerService } from '../../live/listener/listener.service.ts'
import type { OutboxService } from '../../people/outbox/outbox.service.ts'
import type { TeamService } from '../../live/team/team.service.ts'
import { checkConfirmed } from '../../platform/confirm.ts'
import { type DatabaseDescriptors, eraseFiles, filesHolding } from './erase-files.ts'
import type { Erasure, EraseRepository } from './erase.repository.ts'
import { bytesAsText, createCleaner, fewestDigits, type Needle, spelledNumber } from './needle.ts'
import type { PlatformParts } from '../../platform/parts.ts'

/** Deliveries searched per step: about 10 ms of the core thread. */
const deliveriesPerStep = 1_000
/** A reader may block the truncation of a log for a moment. */
const truncateTries = 20
const truncatePauseMs = 250
const receiptsShown = 100
const isOpen = (state: string): boolean => state === 'in-flight' || state === 'unknown'

/** One erasure under way. `removed` and `kept` count on its receipt; `turn` lets other work go on, and ends a stopped erasure. */
interface Run {
  erasure: Erasure
  needle: Needle
  signal: AbortSignal
  removed: (place: ErasedPlace, count: number) => void
  kept: (reason: KeptReason, count: number) => void
  turn: () => Promise<void>
}

/** Erases everything this computer stores about one number. */
export function createEraseService(
  parts: Pick<PlatformParts, 'connection' | 'tasks' | 'clock' | 'log'> & {
    repository: EraseRepository
    contactStore: Pick<ContactStore, 'personTraces' | 'erasePerson' | 'setMarks' | 'truncateLog' | 'reads'>
    contactOf: (digits: number) => { serviceId: string | null } | null
    holds: Pick<HoldsRepository, 'erase'>
    /** Removes what the team sent to a number, its note, and who handles its conversation. Returns how much of it the team may have. */
    eraseShared: (digits: number) => number
    /** Removes filters of contacts that hold a person. Returns how many. */
    dropFilters: (isTheirs: (text: string) => boolean) => number
    /** Tells the team that a number was erased, so that it is erased there too; see the team. */
    team: Pick<TeamService, 'erased' | 'erasedBy'>
    isOnDncList: (digits: number) => boolean
    outbox: Pick<OutboxService, 'revoke' | 'effectsApplied'>
    sends: { discard: (send: { id: string }) => Promise<void>; interrupt: () => Promise<() => void> }
    journal: Pick<JournalReader, 'bodiesAfter' | 'lastSeq' | 'read'>
    listener: Pick<ListenerService, 'erase' | 'truncateLog'>
    projector: Pick<Projector, 'drop' | 'caughtUp'>
    /** The connection's folder, and those in it of imports and exports, and of bulk sends. */
    dir: string
    filesDir: string
    sendsDir: string
    databaseDescriptors: DatabaseDescriptors
    isFileNeeded: (fileId: string) => boolean
    /** Logs of the databases that this thread writes. */
    truncateLogs: () => boolean
    /** Shows the notifications as `console.db` has them now. */
    reloadNotes: () => void
  },
) {
  const { repository, contactStore, outbox, journal, listener, projector, tasks, clock, reloadNotes } = parts

  tasks.define<{ erasureId: string }>('erase', {
    unit: 'entries',
    canPause: false,
    resumable: true,
    async run({ payload: { erasureId }, signal, report }) {
      const erasure = repository.get(erasureId)
      if (!erasure || erasure.endedMs !== null) return
      await erase(erasure, signal, (count) => report({ done: count }))
    },
  })

  /** Every step can be repeated: after a crash the whole erasure runs again. */
  async function erase(erasure: Erasure, signal: AbortSignal, tell: (count: number) => void): Promise<void> {
    const { needle } = erasure
    if (needle) {
      const inUse = await remove({
        erasure,
        needle,
        signal,
        removed(place, count) {
          if (count === 0) return
          erasure.removed[place] = (erasure.removed[place] ?? 0) + count
          repository.put(erasure)
          tell(Object.values(erasure.removed).reduce((sum, n) => sum + n, 0))
        },
        kept(reason, count) {
          if (count > 0) erasure.kept[reason] = count
        },
        async turn() {
          await nextTurn()
          signal.throwIfAborted()
        },
      })
      await truncate()
      await search(erasure, needle, inUse)
      // Only now: a second run must search again.
      erasure.needle = null
      repository.put(erasure)
    }
    await truncate()
    erasure.endedMs = clock.now()
    repository.put(erasure)
  }

  /** Removes the person everywhere, and tells the team. Returns how many files with the person unfinished work still reads. */
  async function remove(run: Run): Promise<number> {
    const { erasure, needle, removed, kept } = run
    const digits = Number(needle.digits)
    // Stored before anything is removed: a second run could no longer read them.
    const { texts, otherContacts } = await contactStore.personTraces(digits)
    needle.texts = [...new Set([...needle.texts, ...texts])]
    const { 'on-service': onService = 0, 'other-contact': others = 0, team = 0 } = erasure.kept
    erasure.kept = {}
    kept('on-service', onService)
    kept('other-contact', Math.max(others, otherContacts))
    // Before its requests are emptied: those shared are counted here.
    const shared = team + parts.eraseShared(digits)
    kept('team', shared)
    repository.put(erasure)
    kept('hashed-hold', erasure.keepHold ? 1 : 0)
    kept('dnc-list', parts.isOnDncList(digits) || repository.isListedUnread(needle) ? 1 : 0)
    // A run before this one may have removed the team's hold.
    let isHeld = erasure.keepHold || team > 0
    let inUse = 0
    // Before its requests end: a queueing would add another.
    const goOn = await parts.sends.interrupt()
    try {
      // First, so that nothing is queued from them, even if a later step fails.
      inUse += await dropFiles(run, parts.sendsDir, 'send')
      await eraseRequests(run)
      // Only now: until then it blocked their requests.
      const unread = repository.unreadHolds(needle)
      const holds = parts.holds.erase(digits, erasure.keepHold, clock.now(), unread)
      // Again, for those shared since.
      kept('team', shared + holds.shared + parts.eraseShared(digits))
      isHeld ||= holds.shared > 0
      removed('holds', holds.removed)
      // Stored before the contact goes: a second run no longer finds it.
      kept('on-service', parts.contactOf(digits)?.serviceId ? 1 : 0)
      repository.put(erasure)
      const { contacts, deleted, importValues } = await contactStore.erasePerson(digits)
      if (erasure.keepHold)
        await contactStore.setMarks({ mark: 'held', add: otherSpellings(digits), remove: [] })
      await contactStore.reads.clearIndex()
      removed('contacts', contacts)
      removed('deleted-contacts', deleted)
      removed('import-values', importValues)
      await eraseEvents(run)
      removed('lookups', repository.forgetLookups(needle))
      removed('history', repository.forgetSamples(needle))
      removed('answers', repository.forgetAnswers(needle))
      await scrubHistory(run)
      inUse += await dropFiles(run, parts.filesDir, 'rejected')
      // Again, for those queued since.
      await eraseRequests(run)
    } finally {
      goOn()
    }
    kept('file-in-use', inUse)
    await parts.team.erased({ id: erasure.id, digits, isHeld })
    repository.put(erasure)
    return inUse
  }

  /** Searches all files again, and notes those that still hold the person. */
  async function search({ kept }: Erasure, needle: Needle, inUse: number): Promise<void> {
    const left = await filesHolding(
      parts.dir,
      needle,
      parts.databaseDescriptors,
      (name) => kept['dnc-list'] === 1 && /^cache\.db/.test(name),
    )
    if (left.length > inUse) kept['file-left'] = left.length - inUse
    if (left.length > 0) parts.log.warn('Files still hold an erased number', { files: left })
  }

  /** Removes files of a folder that hold the person, and names them on the receipt. Returns how many are in use. */
  async function dropFiles(run: Run, dir: string, listKind: 'rejected' | 'send'): Promise<number> {
    const { erasure, needle, signal } = run
    const files = await eraseFiles(dir, needle, parts.isFileNeeded, signal)
    const { clean } = createCleaner(needle)
    const named = files.removed.flatMap(({ id, name, isList }): ErasedFile[] => {
      const said = name ?? repository.nameOf(id)
      if (said === null) return []
      return [{ kind: isList ? listKind : 'file', name: saidOf(clean(storedText(said))) }]
    })
    // The lists of a send have one name.
    const all = [...erasure.files, ...named].map((file) => JSON.stringify(file))
    erasure.files = [...new Set(all)].map((json) => JSON.parse(json) as ErasedFile)
    run.removed('files', files.removed.length)
    return files.inUse
  }

  async function eraseRequests({ erasure, needle, signal, removed, kept, turn }: Run): Promise<void> {
    const staysBlocked = erasure.keepHold || erasure.kept['dnc-list'] === 1
    let unconfirmed = 0
    for (const items of repository.outboxItems(needle.digits)) {
      // Deletions stay queued, so the service removes the person too. Without the blocked number, others' requests would leave.
      const toRevoke = items.filter(({ isDeletion, isOthers }) => !isDeletion && (!isOthers || staysBlocked))
      const revoked = await outbox.revoke(
        toRevoke.map(({ id }) => id),
        signal,
      )
      removed('unconfirmed', revoked)
      const own = items.filter(({ isOthers }) => !isOthers)
      const others = items.filter(({ isOthers }) => isOthers)
      // The operator resolves an unconfirmed deletion.
      const going = own.filter(({ isDeletion, state }) => !isDeletion || !isOpen(state))
      unconfirmed += own.length - going.length
      removed(
        'outbox',
        going.reduce((count, { id }) => count + repository.blankItem(id), 0) +
          others.reduce((count, { id }) => count + repository.forgetInItem(id, needle), 0) -
          revoked,
      )
      await turn()
    }
    kept('outbox-unconfirmed', unconfirmed)
    await outbox.effectsApplied()
  }

  /** Empties deliveries but keeps their numbers. Removes their events, which a rebuild does not restore. */
  async function eraseEvents({ needle, removed, turn }: Run): Promise<void> {
    const { holds } = createCleaner(needle)
    const spelled = spelledNumber(needle)
    const { country } = parts.connection()
    const forms = country === null ? [] : nationalForms(Number(needle.digits), country)
    const bodyOf = (seq: number) => journal.read(seq)?.body
    await projector.caughtUp()
    const events = new Set<number>()
    const deliveries = new Set<number>()
    for (const seqs of repository.events(needle, forms)) {
      for (const seq of seqs) events.add(seq)
      await turn()
    }
    const lastSeq = journal.lastSeq()
    for (let after = 0; after < lastSeq;) {
      const bodies = journal.bodiesAfter(after, deliveriesPerStep)
      after = bodies.at(-1)?.seq ?? lastSeq
      for (const { seq, body } of bodies) {
        if (!holds(body.toString())) continue
        deliveries.add(seq)
        for (const event of repository.eventsOf(seq)) events.add(event)
      }
      await turn()
    }
    for (const seq of repository.quarantined())
      if (bytesAsText(bodyOf(seq) ?? Buffer.alloc(0)).search(spelled) !== -1)
        for (const event of repository.eventsOf(seq)) events.add(event)
    for (const event of events) for (const seq of repository.deliveriesOf(event)) deliveries.add(seq)
    const seqs = [...deliveries]
    for (let at = 0; at < seqs.length; at += 100) {
      const erased = await listener.erase(seqs.slice(at, at + 100))
      if (erased === null)
        throw new AppError('TASK_NOT_POSSIBLE', { state: { key: 'state.waitingForJournal' } })
      removed('deliveries', erased)
    }
    const found = [...events]
    for (let at = 0; at < found.length; at += 250) {
      removed('events', projector.drop(found.slice(at, at + 250)))
      await turn()
    }
  }

  async function scrubHistory({ needle, removed, turn }: Run): Promise<void> {
    removed('settings', parts.dropFilters(createCleaner(needle).holds))
    const sends = repository.preparedSends(needle)
    for (const id of sends) await parts.sends.discard({ id })
    removed('history', sends.length)
    for (const which of ['state', 'cache', 'console'] as const)
      for (const changed of repository.scrub(which, needle)) {
        removed(which === 'console' ? 'settings' : 'history', changed)
        await turn()
      }
    reloadNotes()
  }

  /** Gives up when a reader blocks a log for longer; the next truncation empties it. */
  async function truncate(): Promise<void> {
    for (let tries = 0; tries < truncateTries; tries++) {
      const done = [
        parts.truncateLogs(),
        await contactStore.truncateLog(),
        await contactStore.reads.truncateIndexLog(),
        await listener.truncateLog(),
      ]
      if (done.every(Boolean)) return
      await clock.sleep(truncatePauseMs)
    }
    parts.log.warn('Could not empty a log after an erasure')
  }

  function view({ id, ending, taskId, removed, kept, files, startedMs, endedMs }: Erasure): EraseReceipt {
    const team = parts.team.erasedBy(id)
    return {
      id,
      ending,
      taskId,
      startedAt: isoTime(startedMs)!,
      endedAt: isoTime(endedMs),
      removed: Object.entries(removed).map(([place, count]) => ({ place: place as ErasedPlace, count })),
      // Once colleagues were asked, their answers and the log's say what is left there.
      kept: Object.entries(kept)
        .filter(([reason]) => reason !== 'team' || team === null)
        .map(([reason, count]) => ({ reason: reason as KeptReason, count })),
      files,
      team,
    }
  }

  function digitsOf(phone: string): string {
    const read = possibleNumbers(phone, parts.connection().country).digits
    if (read !== null) return String(read)
    // Senders may have numbers that no country has.
    const digits = phone.replace(/\D/g, '')
    if (!/^\+?\d{1,15}$/.test(phone.trim()) || digits.length < fewestDigits)
      throw new AppError('PHONE_INVALID', { phone, reason: { key: 'phone.unreadable' } })
    return digits
  }

  return {
    start({ phone, confirm, keepHold, confirmName }: InputOf<typeof eraseContract, 'start'>): EraseReceipt {
      checkConfirmed(parts.connection(), confirmName)
      const digits = digitsOf(phone)
      const { country } = parts.connection()
      const isSame =
        confirm.replace(/\D/g, '') === digits ||
        possibleNumbers(confirm, country).all.includes(Number(digits)) ||
        (country === null && repeatsNational(confirm, digits))
      if (!isSame) throw new AppError('CONFIRMATION_MISMATCH', { name: `+${digits}` })
      if (repository.isOwnNumber(digits))
        throw new AppError('INVALID_INPUT', { detail: { key: 'input.ownNumber' } })
      const erasure: Erasure = {
        id: randomUUID(),
        ending: digits.slice(-2),
        taskId: '',
        needle: { digits, texts: [] },
        keepHold,
        removed: {},
        kept: {},
        files: [],
        startedMs: clock.now(),
        endedMs: null,
      }
      repository.put(erasure)
      const task = tasks.start('erase', {
        subject: { key: 'subject.numberEnding', ending: erasure.ending },
        payload: { erasureId: erasure.id },
        refId: erasure.id,
      })
      repository.setTask(erasure.id, task.id)
      return view({ ...erasure, taskId: task.id })
    },
    receipts: () => ({ items: repository.list(receiptsShown).map(view) }),
    /** Resumes erasures that a crash or an exit interrupted. */
    resume(): void {
      for (const { taskId } of repository.unfinished())
        if (tasks.find(taskId)?.can.resume) tasks.resume({ id: taskId })
    },
  }
}

export type EraseService = ReturnType<typeof createEraseService>
