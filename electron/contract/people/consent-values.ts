/** Begins the keys of names, tags and notes that say nothing of consent; alone, it stands for those that aren't listed. */
export const otherTexts = '…'
/** Most different values of a column about consent: of notes, as many as a person may look through. */
export const consentKeysMax = 1_000

/** The values without a known meaning, in a column that refuses someone: their words may be a refusal, too. */
export const unknownBesideNo = <Value extends { key: string; means: string; isNo: boolean }>(
  values: readonly Value[],
): Value[] =>
  values.some(({ isNo, key }) => isNo && key !== '')
    ? values.filter(({ means, key }) => means === 'unknown' && key !== '' && key !== otherTexts)
    : []
