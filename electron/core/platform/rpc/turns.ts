import { framesWaitingMax, waitingLengthMax } from '../../../contract/limits.ts'

/** Waiting frames of one page. */
export interface Lane {
  /** False when too many frames wait; the frame is dropped. */
  push(frame: unknown): boolean
  clear(): void
}

/**
 * Takes one frame of each page per turn of the event loop. A page that sends thousands delays the others by one frame.
 * While no frame waits, a new one is taken immediately.
 */
export function createTurns(): (take: (frame: unknown) => void) => Lane {
  const waiting = new Set<() => boolean>()
  let isTurnOver = true

  function nextTurn(): void {
    isTurnOver = false
    setImmediate(() => {
      isTurnOver = true
      for (const takeOne of waiting) if (!takeOne()) waiting.delete(takeOne)
      if (waiting.size > 0) nextTurn()
    })
  }

  return (take) => {
    const frames: unknown[] = []
    let length = 0
    const takeOne = (): boolean => {
      const frame = frames.shift()
      length -= lengthOf(frame)
      take(frame)
      return frames.length > 0
    }
    return {
      push(frame) {
        if (frames.length >= framesWaitingMax || length > waitingLengthMax) return false
        if (isTurnOver && waiting.size === 0) {
          nextTurn()
          take(frame)
          return true
        }
        frames.push(frame)
        length += lengthOf(frame)
        waiting.add(takeOne)
        return true
      },
      clear() {
        frames.length = 0
        length = 0
        waiting.delete(takeOne)
      },
    }
  }
}

function lengthOf(frame: unknown): number {
  return typeof frame === 'string' ? frame.length : frame instanceof Uint8Array ? frame.byteLength : 0
}
