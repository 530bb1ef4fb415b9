/** A figure with a target. */
export interface Target {
  name: string
  value: number
  bound: { atLeast: number } | { below: number }
}

/** The result of one benchmark. */
export interface BenchResult {
  name: string
  /** Readable lines: the table of figures. */
  lines: string[]
  targets: Target[]
}

/** A module of this folder that measures one thing. */
export interface Bench {
  run(): Promise<BenchResult>
}

export const isMet = ({ value, bound }: Target): boolean =>
  'atLeast' in bound ? value >= bound.atLeast : value < bound.below
