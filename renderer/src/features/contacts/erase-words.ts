import { erasedPlaceSchema, type EraseReceipt } from '#contract/connection/erase.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { t } from './contacts.texts.ts'

/** What an erasure removed, one line per place. Files with their names. */
export const removedLines = ({ removed, files }: Pick<EraseReceipt, 'removed' | 'files'>): string[] =>
  removed.map(({ place, count }) => {
    const counted = t(`erased.${place}`, { n: count })
    if (place !== 'files' || files.length === 0) return counted
    const names = files.map(({ kind, name }) => t(`erasedFile.${kind}`, { name: visibleText(say(name)) }))
    return t('erasedFile.named', { counted, names: names.join(', ') })
  })

export const placesText = (): string =>
  t('eraseDialog.searched', {
    places: erasedPlaceSchema.options.map((place) => t(`place.${place}`)).join(', '),
  })

/** What no erasure reaches. */
export const notErasedLines = (): string[] =>
  (['notElsewhere', 'notFiles', 'notService', 'notLater'] as const).map((key) => t(`eraseDialog.${key}`))

/** What an erasure kept, and why. */
export const keptLines = ({ kept }: Pick<EraseReceipt, 'kept'>): string[] =>
  kept.map(({ reason }) => t(`kept.${reason}`))

/** That colleagues are asked to erase it too, and their answers. None without a team. */
export function teamLines({ team }: Pick<EraseReceipt, 'team'>): string[] {
  if (!team) return []
  const answers = (['erased', 'kept', 'missing'] as const).flatMap((which) => {
    const names = team[which].join(', ')
    return names === '' ? [] : [t(`erasedBy.${which}`, { names })]
  })
  const { inLog } = team
  const relay =
    inLog === null
      ? t('erasedBy.inLogUnknown')
      : inLog === 0
        ? t('erasedBy.notInLog')
        : t('erasedBy.inLog', { n: inLog })
  return [t('erasedBy.asked'), ...answers, relay]
}
