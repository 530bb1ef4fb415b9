/** A figure that a benchmark holds itself to. */
export interface Target {
  name: string
  value: number
  /** What the value must be. */
  wanted: { atLeast: number } | { below: number }
}

/** What one benchmark found. */
export interface BenchResult {
  name: string
  /** Lines for a person: the table of figures. */
  lines: string[]
  targets: Target[]
}

/** A module of this folder that measures one thing. */
export interface Bench {
  run(): Promise<BenchResult>
}

export const isMet = ({ value, wanted }: Target): boolean =>
  'atLeast' in wanted ? value >= wanted.atLeast : value < wanted.below
