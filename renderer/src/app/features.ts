import type { Feature } from '../shared/features/feature.ts'

const doors = import.meta.glob<{ default: Feature }>('../features/*/index.ts', { eager: true })

/** Every page, found by its folder: a feature is deleted by removing it. Navigation order first. */
export const features: readonly Feature[] = Object.values(doors)
  .map((door) => door.default)
  .sort((a, b) => (a.order ?? Infinity) - (b.order ?? Infinity))

export const navigation: readonly Feature[] = features.filter((feature) => feature.order !== null)
