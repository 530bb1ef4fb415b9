/** How many there are of something, in the form that fits the number: `1 contact`, `2,000 contacts`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
