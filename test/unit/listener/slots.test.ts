import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createSlots } from '#electron/listener/slots.ts'

function slotsOf(limit: number) {
  const evicted: string[] = []
  const names = new Map<Socket, string>()
  const slots = createSlots(limit, (socket) => evicted.push(names.get(socket)!))
  const enter = (name: string) => {
    const socket = new EventEmitter() as Socket
    names.set(socket, name)
    return { socket, isIn: slots.enter(socket) }
  }
  return { slots, enter, evicted }
}

describe('connection slots', () => {
  it('keep a request that progresses longer than a stalled one', () => {
    const { slots, enter, evicted } = slotsOf(2)
    const slow = enter('slow')
    enter('silent')
    slots.progress(slow.socket)
    enter('next')
    expect(evicted).toEqual(['silent'])
  })

  it('never drop a complete request, and reject a new one instead', () => {
    const { slots, enter, evicted } = slotsOf(2)
    for (const name of ['a', 'b']) slots.complete(enter(name).socket)
    expect(enter('c').isIn).toBe(false)
    expect(evicted).toEqual([])
  })

  it('drop a sender that never delivered first', () => {
    const { slots, enter, evicted } = slotsOf(2)
    slots.answered(enter('proven').socket, true)
    slots.answered(enter('refused').socket, false)
    enter('x')
    enter('y')
    expect(evicted).toEqual(['refused', 'x'])
  })

  it('drop an idle proven sender when all are proven', () => {
    const { slots, enter, evicted } = slotsOf(2)
    for (const name of ['first', 'second']) slots.answered(enter(name).socket, true)
    expect(enter('new').isIn).toBe(true)
    expect(evicted).toEqual(['first'])
  })

  it('are freed when a connection closes', () => {
    const { enter, evicted } = slotsOf(1)
    enter('gone').socket.emit('close')
    enter('next')
    expect(evicted).toEqual([])
  })
})
