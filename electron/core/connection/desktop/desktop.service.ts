import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  type DesktopRequest,
  type DesktopSettings,
  desktopSettingsSchema,
  type DesktopState,
} from '../../../contract/connection/desktop.ts'
import { tableFileName } from '../../../contract/table-files.ts'
import type { Connection } from '../../../contract/connection/connections.ts'
import { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { beats, createPulse } from '../../../lib/pulse.ts'
import { viewOf } from '../../platform/rpc/errors.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import type { SettingsService } from '../../platform/settings/settings.service.ts'
import type { OpenConnection } from '../open-connection.ts'
import { pageOfLink } from './links.ts'

/** A request that only a host can make: links and paths come from the operating system, never from a page. */
export type HostRequest =
  | { kind: 'link'; link: string }
  /** Absolute path of a file that the operator opened with Switchboard. */
  | { kind: 'file'; path: string }
  | { kind: 'page'; path: string }
  /** A desktop notification that the operator clicked. */
  | { kind: 'note'; key: string }
  | { kind: 'shortcuts' }

/** A whole folder may be opened at once. The oldest requests beyond this are dropped. */
const mostRequests = 20
/** A page that can't show within this time, in milliseconds, no longer moves the operator. */
const pageRequestMs = 120_000
const settingsKey = 'desktop'
const requestGaps = { minGapMs: 0, maxGapMs: 60_000 }
const stateGaps = { minGapMs: 250, maxGapMs: 1_000 }

export type DesktopService = ReturnType<typeof createDesktopService>

/** Requests from the desktop to the page, and the state that the desktop shows. */
export function createDesktopService(parts: {
  active: () => OpenConnection | null
  all: () => readonly OpenConnection[]
  /** Background connections that need attention. */
  troubled: () => readonly Connection[]
  settings: SettingsService
  repository: SettingsRepository
  /** Brings the connection of a notification to the front. Its page, or null when it leads to none. */
  openNote: (key: string) => Promise<{ path: string; connectionId: string | undefined } | null>
  clock: Clock
}) {
  const { repository, clock } = parts
  const pulse = createPulse()
  let waiting: { request: DesktopRequest; path: string | null }[] = []

  function add(request: DesktopRequest, path: string | null = null): void {
    // A newer page request replaces an older one.
    if (request.kind === 'page') {
      waiting = waiting.filter((other) => other.request.kind !== 'page')
      clock.after(pageRequestMs, () => remove(request.id))
    }
    waiting = [...waiting, { request, path }].slice(-mostRequests)
    pulse.fire()
  }

  function remove(id: string): void {
    waiting = waiting.filter(({ request }) => request.id !== id)
    pulse.fire()
  }

  function refuse(error: AppError): void {
    add({ id: randomUUID(), kind: 'refused', error: viewOf(error) })
  }

  async function addFile(path: string): Promise<void> {
    const fileName = basename(path)
    const isFile = tableFileName.test(fileName) && (await stat(path).catch(() => null))?.isFile() === true
    if (isFile) add({ id: randomUUID(), kind: 'import', fileName }, path)
    else refuse(new AppError('OPENED_FILE_IGNORED', { name: fileName }))
  }

  const getSettings = (): DesktopSettings =>
    repository.get(settingsKey, desktopSettingsSchema) ?? { closeToTray: false }

  function state(): DesktopState {
    const sent = parts.all().map((open) => open.features.outbox.drain())
    const sending = sent.filter(({ state }) => state === 'sending' || state === 'rate-limited')
    const tasks = parts
      .all()
      .flatMap((open) => open.features.tasks.list())
      .filter(({ state }) => state === 'running' || state === 'waiting')
    const drain = parts.active()?.features.outbox.drain()
    return {
      theme: parts.settings.appearance().theme,
      language: parts.settings.language(),
      closeToTray: getSettings().closeToTray,
      sending: drain ? (drain.state === 'paused' ? 'paused' : 'on') : null,
      troubled: parts.troubled().map(({ name }) => name),
      work: {
        tasks: tasks.length,
        requests: sending.reduce((sum, { counts }) => sum + counts.queued + counts['in-flight'], 0),
      },
    }
  }

  return {
    async ask(request: HostRequest): Promise<void> {
      if (request.kind === 'file') return addFile(request.path)
      if (request.kind === 'shortcuts') return add({ id: randomUUID(), kind: 'shortcuts' })
      if (request.kind === 'note') {
        const page = await parts.openNote(request.key)
        return page === null ? undefined : add({ id: randomUUID(), kind: 'page', ...page })
      }
      const path = request.kind === 'page' ? request.path : pageOfLink(request.link)
      if (path !== null) add({ id: randomUUID(), kind: 'page', path })
      else refuse(new AppError('LINK_IGNORED'))
    },
    async *requests(signal: AbortSignal): AsyncGenerator<{ requests: DesktopRequest[] }> {
      for await (const _beat of beats(pulse, clock, requestGaps, signal))
        yield { requests: waiting.map(({ request }) => request) }
    },
    done: ({ id }: { id: string }) => remove(id),
    async takeFile({ id }: { id: string }): Promise<{ fileId: string; fileName: string }> {
      const found = waiting.find(({ request }) => request.id === id)
      if (!found || found.request.kind !== 'import' || found.path === null) throw new AppError('FILE_GONE')
      const open = parts.active()
      if (!open) throw new AppError('NO_CONNECTION')
      // Also when the copy fails: the page shows the error, and the operator can open the file again.
      remove(id)
      const { fileId } = await open.features.files.adopt(found.path)
      return { fileId, fileName: found.request.fileName }
    },
    getSettings,
    setSettings(next: DesktopSettings): DesktopSettings {
      repository.put(settingsKey, next)
      return next
    },
    async *state(signal: AbortSignal): AsyncGenerator<DesktopState> {
      let last = ''
      for await (const _beat of beats(pulse, clock, stateGaps, signal)) {
        const next = state()
        const text = JSON.stringify(next)
        if (text !== last) yield next
        last = text
      }
    },
  }
}
