import type en from '#contract/notes.en.json'
import type { Note } from '#contract/platform/notifications.ts'
import { loadCatalogue } from '../i18n/catalogue.ts'
import { errorText, say } from '../i18n/core-texts.ts'

const t = await loadCatalogue<typeof en>(
  'notes',
  import.meta.glob('../../../../electron/contract/notes.*.json', { import: 'default', query: '?catalogue' }),
)

/** The text of a notification in the current language. */
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
