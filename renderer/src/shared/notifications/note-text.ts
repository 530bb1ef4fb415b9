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
  const title = t(`${text}.title`, values)
  return {
    title: connection ? t('onConnection', { connection: connection.name, title }) : title,
    body,
    link: t(`links.${kind}`),
  }
}

/** Of alarm kinds: an alert rule has paused the campaign, or a colleague changed its auto-pause. */
const mild: readonly Note['text'][] = ['paused', 'pausedLater', 'armedByColleague', 'disarmedByColleague']

/** How bad it is, on any connection. */
export function noteTone({ kind, text }: Pick<Note, 'kind' | 'text'>): 'bad' | 'warn' | 'muted' {
  if (text === 'taskDone' || text === 'importDone') return 'muted'
  return alarmKinds.includes(kind) && !mild.includes(text) ? 'bad' : 'warn'
}
