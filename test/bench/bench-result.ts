type Bound = { atLeast: number } | { below: number }

/** A figure with a budget. */
export interface Target {
  name: string
  value: number
  bound: Bound
  /** Counts instead where the machine is slow: the same, relative to what ran beside it. */
  or?: { name: string; value: number; bound: Bound }
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

export const isMet = ({ value, bound, or }: Omit<Target, 'name'>): boolean =>
  ('atLeast' in bound ? value >= bound.atLeast : value < bound.below) || (or !== undefined && isMet(or))

/** A figure and its bound, to print. */
export const figureText = ({ name, value, bound, or }: Target): string => {
  const limit = 'atLeast' in bound ? `at least ${bound.atLeast}` : `below ${bound.below}`
  const text = `${name}: ${Number(value.toFixed(3))} (${limit})`
  return or ? `${text}, or ${figureText(or)}` : text
}
