import type en from '#contract/notes.en.json'
import { alarmKinds, type Note } from '#contract/platform/notifications.ts'
import { startCatalogue } from '../i18n/catalogue.ts'
import { errorText, say } from '../i18n/core-texts.ts'

const t = startCatalogue<typeof en>('notes')

export function noteText({ kind, text, values: said, problem, connection }: Note) {
  const values = Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name, typeof value === 'number' ? value : say(value)]),
  )
  const body = problem ? errorText(problem) : t(`${text}.body`, values)
  return {
    title: t(`${text}.title`, values),
    body: connection ? t('onConnection', { connection: connection.name, body }) : body,
    link: t(`links.${kind}`),
  }
}

/** How bad it is, on any connection: an alarm is bad, unless an alert rule has already paused the campaign. */
export function noteTone({ kind, text }: Pick<Note, 'kind' | 'text'>): 'bad' | 'warn' | 'muted' {
  if (text === 'taskDone' || text === 'importDone') return 'muted'
  const isMild =
    text === 'paused' ||
    text === 'pausedLater' ||
    text === 'armedByColleague' ||
    text === 'disarmedByColleague'
  return alarmKinds.includes(kind) && !isMild ? 'bad' : 'warn'
}
