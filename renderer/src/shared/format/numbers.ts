const counts = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const amounts = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

const smallAmounts = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })

/** A count with thousands separators: `1,234,567`. */
export function formatCount(value: number): string {
  return counts.format(value)
}

/** An amount with two decimals, up to six where it is below one, and no currency sign: the service gives none. */
export function formatAmount(value: number): string {
  return (Math.abs(value) < 1 ? smallAmounts : amounts).format(value)
}

/** A share of `whole` as `12.3 %`; an em dash when there is no whole. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return '—'
  return `${((part / whole) * 100).toFixed(1)} %`
}

/** A word in the form that fits the count: `1 event`, `2,000 events`. */
export function formatCounted(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`
}

const byteUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size in the largest unit that leaves a whole part: `812 bytes`, `1.4 MiB`. */
export function formatBytes(sizeBytes: number): string {
  let size = sizeBytes
  let unit = 0
  while (size >= 1024 && unit < byteUnits.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 ? formatCount(size) : size.toFixed(1)} ${byteUnits[unit]}`
}
