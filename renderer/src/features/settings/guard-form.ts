import { useUnsaved } from '../../shared/unsaved/use-unsaved.ts'
import { t } from './settings.texts.ts'

/** Asks before another section, page or connection discards what was typed into a form of the settings. */
export function guardForm(isDirty: () => boolean): void {
  useUnsaved().guard({ words: t('unsaved'), isDirty, byQuery: ['section'] })
}
