import { expect, test } from 'vitest'
import type { Note as PageNote } from '#contract/platform/notifications.ts'
import en from '#contract/notes.en.json' with { type: 'json' }
import es from '#contract/notes.es.json' with { type: 'json' }
import { englishText, type Said } from '#contract/phrases.ts'
import { createTexts } from '#contract/texts.ts'
import type { Note } from '#electron/core/ports.ts'
import { createNotificationsService } from '#electron/core/platform/notifications/notifications.service.ts'
import { createOperatorNotes } from '#electron/core/connection/operator-notes.ts'
import type { SettingsRepository } from '#electron/core/platform/settings/settings.repository.ts'
import { createFakeClock, type FakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { aTask } from '../../../../helpers/scripted/tasks.ts'

interface Given {
  kept: Map<string, unknown>
  clock: FakeClock
  language: 'en' | 'es'
}

/** Notifications with a host that shows them, refuses them, or has none. */
function service(host: 'shows' | 'refuses' | 'none', given: Partial<Given> = {}) {
  const { kept = new Map<string, unknown>(), clock = createFakeClock(), language = 'en' } = given
  const shown: Note[] = []
  const posted: { title: string; body: string }[] = []
  const notifications = createNotificationsService({
    ports: {
      capabilities: host === 'none' ? [] : ['notify.native'],
      notify: (note) =>
        host === 'shows' ? Promise.resolve(void shown.push(note)) : Promise.reject(new Error('no desktop')),
    },
    repository: {
      get: (key: string) => kept.get(key),
      put: (key: string, value: unknown) => void kept.set(key, JSON.parse(JSON.stringify(value))),
    } as unknown as SettingsRepository,
    postAlert: (alert) => void posted.push(alert),
    language: () => language,
    clock,
    log: quietLog,
  })
  const inPage = async (): Promise<PageNote[]> => {
    for await (const { notes } of notifications.watch(new AbortController().signal)) return notes
    return []
  }
  return { notifications, shown, posted, inPage, clock, kept }
}

const note = {
  kind: 'alert-rule',
  key: 'alertRule/1',
  text: 'alert',
  values: { campaign: 'Autumn', reading: '12% failed.' },
} as const

const alert = { text: 'alert', values: { campaign: 'Autumn', reading: '12% failed.', n: 1 }, problem: null }

test('shows each notification once on the desktop and not in the page', async () => {
  const { notifications, shown, inPage } = service('shows')
  notifications.notify(note)
  notifications.notify(note)
  notifications.notify({ ...note, key: 'alertRule/2' })
  expect(shown).toHaveLength(2)
  expect(await inPage()).toEqual([])
})

test.each(['refuses', 'none'] as const)(
  'shows notifications in the page until dismissed where the host %s',
  async (host) => {
    const { notifications, inPage } = service(host)
    notifications.notify(note)
    await Promise.resolve()
    await expect.poll(inPage).toMatchObject([{ ...alert, key: 'alertRule/1' }])
    notifications.dismiss((await inPage())[0]!.seq)
    expect(await inPage()).toEqual([])
  },
)

test('shows all kinds but those switched off', () => {
  const { notifications, shown } = service('shows')
  notifications.set({ ...notifications.get().settings, 'alert-rule': false })
  notifications.notify(note)
  notifications.notify({ ...note, kind: 'job-done', key: 'job/1' })
  expect(shown).toHaveLength(1)
})

test('counts notifications of a group as one until dismissed or resolved', async () => {
  const { notifications, inPage } = service('none')
  const optOut = { kind: 'opt-out', group: 'opt-out', text: 'optOuts', link: { path: '/dnc' } } as const
  const optOuts = (key: string, count: number) => notifications.notify({ ...optOut, key, count })
  optOuts('a', 1)
  notifications.notify(note)
  optOuts('b', 4)
  expect(await inPage()).toMatchObject([
    { text: 'optOuts', values: { n: 5 }, key: 'b', link: { path: '/dnc' } },
    { ...alert, link: null },
  ])
  notifications.dismiss((await inPage())[0]!.seq)
  optOuts('c', 2)
  expect((await inPage()).map(({ text, values }) => [text, values['n']])).toEqual([
    ['optOuts', 2],
    ['alert', 1],
  ])
  notifications.withdraw('opt-out')
  notifications.withdraw('opt-out')
  expect((await inPage()).map(({ text }) => text)).toEqual(['alert'])
})

test('keeps notifications over a restart for 30 days, grouped and dismissed as they were', async () => {
  const first = service('none')
  first.notifications.notify({ ...note, group: 'alertRules' })
  first.notifications.notify({ ...note, key: 'alertRule/2' })
  first.notifications.dismiss((await first.inPage())[0]!.seq)
  const second = service('none', first)
  expect(await second.inPage()).toEqual(await first.inPage())
  second.notifications.notify(note)
  second.notifications.notify({ ...note, key: 'alertRule/3' })
  expect((await second.inPage()).map(({ key }) => key)).toEqual(['alertRule/3', 'alertRule/1'])
  second.notifications.withdraw('alertRules')
  expect((await service('none', first).inPage()).map(({ key }) => key)).toEqual(['alertRule/3'])
  first.clock.jumpWall(30 * 86_400_000)
  expect(await service('none', first).inPage()).toEqual([])
})

test('uses Spanish on the desktop and in alerts, and gives the page an error to translate', async () => {
  const problem = { code: 'DISK_FULL', acted: 'no' as const, data: {} }
  const desktop = service('shows', { language: 'es' })
  desktop.notifications.notify({ kind: 'opt-out', key: 'a', text: 'optOuts', count: 3 })
  desktop.notifications.notify({ kind: 'listener-down', key: 'b', text: 'listenerDown', problem })
  const subject = { key: 'subject.contacts', n: 12_500 } as const
  desktop.notifications.notify({ kind: 'job-done', key: 'c', text: 'taskDone', values: { subject } })
  const shown = [
    { title: '3 remitentes se han dado de baja por mensaje', body: 'No se envía nada a estos números.' },
    { title: 'El receptor de webhooks está caído', body: expect.stringContaining('El disco está lleno.') },
    { title: 'Completada: 12.500 contactos', body: 'Consulte el resultado en Tareas.' },
  ]
  expect(desktop.shown).toMatchObject(shown)
  expect(desktop.posted).toMatchObject(shown)
  const page = service('none')
  page.notifications.notify({ kind: 'listener-down', key: 'b', text: 'listenerDown', problem })
  expect(await page.inPage()).toMatchObject([{ text: 'listenerDown', problem }])
})

test('names the connection of a notification on the desktop and in the page', async () => {
  const connection = { id: 'c-1', name: 'Sandbox' }
  const desktop = service('shows')
  desktop.notifications.notify({ ...note, connection })
  const shown = { key: 'alertRule/1', title: 'Sandbox: Alert rule: Autumn', body: '12% failed.' }
  expect(desktop.shown).toEqual([shown])
  const page = service('none')
  page.notifications.notify({ ...note, connection })
  page.notifications.notify({ ...note, key: 'alertRule/2' })
  expect(await page.inPage()).toMatchObject([
    { ...alert, connection: null },
    { ...alert, connection },
  ])
})

test('drops what concerns a removed connection', async () => {
  const { notifications, inPage } = service('none')
  const acme = { id: 'c-1', name: 'Acme' }
  notifications.notify({ ...note, key: 'alertRule/1', connection: acme })
  notifications.notify({ ...note, key: 'alertRule/2', connection: { id: 'c-2', name: 'Harbor' } })
  notifications.forgetConnection('c-1')
  expect((await inPage()).map(({ key }) => key)).toEqual(['alertRule/2'])
  const desktop = service('shows').notifications
  desktop.notify({ ...note, connection: acme, link: { path: '/campaigns' } })
  desktop.forgetConnection('c-1')
  expect(await desktop.open(note.key, () => Promise.resolve(true))).toBeNull()
})

test('opens the connection and page of a clicked notification, or lists it when that fails', async () => {
  const { notifications, inPage } = service('shows')
  const link = { path: '/campaigns' }
  notifications.notify({ ...note, link })
  notifications.notify({ ...note, key: 'alertRule/2', link, connection: { id: 'c-1', name: 'Harbor' } })
  notifications.notify({ ...note, key: 'alertRule/3', link, connection: { id: 'c-2', name: 'Acme' } })
  notifications.notify({ ...note, key: 'alertRule/4' })
  const toFront = (id: string) => Promise.resolve(id === 'c-1')
  const opened = []
  for (const key of ['alertRule/1', 'alertRule/2', 'alertRule/3', 'alertRule/4', 'unknown'])
    opened.push(await notifications.open(key, toFront))
  expect(opened).toEqual([link, { ...link, connectionId: 'c-1' }, null, null, null])
  expect(await inPage()).toMatchObject([{ key: 'alertRule/3', connection: { name: 'Acme' } }])
})

const t = createTexts({ en, es }, () => 'en')

/** Notifications of one connection, with their titles. */
function operatorNotes() {
  const shown: string[] = []
  const links: string[] = []
  const clock = createFakeClock()
  const notes = createOperatorNotes({
    notify: ({ text, values, count = 1, link }) => {
      const subject = values?.['subject'] as Said | undefined
      shown.push(t(`${text}.title`, { subject: subject ? englishText(subject) : '', n: count }))
      if (link) links.push(link.path)
    },
    withdraw: (group) => void shown.push(`withdrawn: ${group}`),
    connectionId: 'c-1',
    clock,
  })
  return { notes, shown, links, clock }
}

test('notifies of an opt-out at once and groups those of the next minute', async () => {
  const { notes, shown, clock } = operatorNotes()
  notes.optOuts(1, 0)
  notes.optOuts(2, 2)
  notes.optOuts(3, 1)
  expect(shown).toEqual(['A sender opted out by message'])
  await clock.advance(60_000)
  expect(shown.slice(1)).toEqual(['5 senders opted out by message', '3 opt-outs can’t be applied'])
  await clock.advance(120_000)
  expect(shown).toHaveLength(3)
})

test('notifies once each time the listener goes down', () => {
  const { notes, shown } = operatorNotes()
  const down = { state: 'failed', problem: null } as const
  notes.listener(down)
  notes.listener(down)
  notes.listener({ state: 'listening', problem: null })
  notes.listener({ state: 'listening', problem: null })
  notes.listener(down)
  expect(shown).toEqual([
    'The webhook listener is down',
    'withdrawn: listener-down/c-1',
    'The webhook listener is down',
  ])
})

test('notifies again when an alarm has another cause', () => {
  const { notes, shown, links } = operatorNotes()
  for (const text of ['noSubscription', 'noReports', 'noReports'] as const)
    notes.alarm('silence', { text, link: { path: `/webhooks?${text}` } })
  expect(shown).toEqual([en.noSubscription.title, 'withdrawn: silence/c-1', en.noReports.title])
  expect(links.at(-1)).toBe('/webhooks?noReports')
})

test('notifies when a long task ends or any fails, not of short or cancelled ones', () => {
  const { notes, shown } = operatorNotes()
  const at = (seconds: number) => new Date(seconds * 1_000).toISOString()
  const job = (id: string, state: 'done' | 'failed' | 'cancelled', tookSeconds: number) =>
    aTask({ id, kind: 'import', state, subject: id, startedAt: at(0), endedAt: at(tookSeconds) })
  notes.taskEnded(job('long', 'done', 40))
  notes.taskEnded(job('short', 'done', 2))
  notes.taskEnded(job('broken', 'failed', 2))
  notes.taskEnded(job('given up', 'cancelled', 40))
  expect(shown.filter((one) => !one.startsWith('withdrawn'))).toEqual(['Done: long', 'Failed: broken'])
})

const interrupted = (id: string) => aTask({ id, kind: 'import', state: 'interrupted', subject: `${id}.csv` })

test('reports tasks that a restart interrupted until they end well, and withdraws that a listener was down', async () => {
  const { notes, shown } = operatorNotes()
  notes.interrupted([interrupted('people')])
  notes.listener({ state: 'listening', problem: null })
  expect(shown).toEqual(['Interrupted: people.csv', 'withdrawn: listener-down/c-1'])
  const { notifications, inPage, clock } = service('none')
  const inList = createOperatorNotes({ ...notifications, connectionId: 'c-1', clock })
  inList.interrupted([interrupted('a'), interrupted('b')])
  expect(await inPage()).toHaveLength(2)
  inList.taskEnded({ ...interrupted('a'), state: 'cancelled' })
  expect((await inPage()).map(({ key }) => key)).toEqual(['interrupted/b'])
  const resumed = { ...interrupted('b'), startedAt: '2026-01-05T09:00:00Z', endedAt: '2026-01-05T09:00:02Z' }
  inList.taskEnded({ ...resumed, state: 'failed' })
  expect(await inPage()).toMatchObject([{ text: 'taskFailed' }])
  inList.taskEnded({ ...resumed, state: 'done' })
  expect(await inPage()).toEqual([])
})

test('links an import’s notification to its result', () => {
  const { notes, links } = operatorNotes()
  const done = { state: 'failed', subject: 'big.csv' } as const
  notes.taskEnded(aTask({ id: 't-1', kind: 'export', ...done, refId: 'f-1' }))
  notes.taskEnded(aTask({ id: 't-2', kind: 'import', ...done, refId: 'i-1' }))
  expect(links).toEqual(['/imports?import=i-1'])
})
