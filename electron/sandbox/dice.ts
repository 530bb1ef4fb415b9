import { seededRandom } from '../lib/random.ts'

export type Dice = ReturnType<typeof createDice>

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex32(value: number): string {
  return (
    hexOfByte[value >>> 24]! +
    hexOfByte[(value >>> 16) & 255]! +
    hexOfByte[(value >>> 8) & 255]! +
    hexOfByte[value & 255]!
  )
}

/** FNV-1a: each named stream of a seed starts elsewhere. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}

/** Seeded random choices. Separate streams, so one kind of work never shifts another's. */
export function createDice(seed: number, stream: string) {
  const next = seededRandom(hash(`${seed}/${stream}`))
  const bits = () => (next() * 4_294_967_296) >>> 0
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    /** A number in [0, 1). */
    next,
    /** An integer from `min` to `max`, both included. */
    whole,
    chance: (probability: number) => next() < probability,
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!,
    /** Rather an early item: a third of all picks are from the first ninth. */
    pickEarly: <T>(items: readonly T[]): T => items[Math.floor(next() ** 2 * items.length)]!,
    /** A UUID of version 4 in shape. */
    uuid(): string {
      const a = hex32(bits())
      const b = hex32(((bits() & 0xffff0fff) | 0x00004000) >>> 0)
      const c = hex32(((bits() & 0x3fffffff) | 0x80000000) >>> 0)
      const d = hex32(bits())
      return `${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`
    },
    /** `count` decimal digits. */
    digits(count: number): string {
      let text = ''
      for (let i = 0; i < count; i++) text += String(whole(0, 9))
      return text
    },
  }
}
