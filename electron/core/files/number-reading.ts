/** How the numbers of a file or list are read, as it was kept; what was begun by an earlier version knew no choice but the region. */
export const readingOf = (kept: {
  region: string
  doubleZeroIsPlus?: boolean | undefined
  ownCodeIsPlus?: boolean | undefined
}): { region: string; doubleZeroIsPlus: boolean; ownCodeIsPlus: boolean } => ({
  region: kept.region,
  doubleZeroIsPlus: kept.doubleZeroIsPlus ?? false,
  ownCodeIsPlus: kept.ownCodeIsPlus ?? false,
})
