import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from './fixtures.ts'

const main = resolve(import.meta.dirname, '../../out/main')
const importPattern = /(?:from\s*|import\s*\(?\s*|require\w*(?:\$\d+)?\(\s*)["']([^"']+)["']/g

/** Every module that an entry of the build loads, through its chunks. */
function loadedBy(entry: string, seen = new Set<string>()): Set<string> {
  const text = readFileSync(join(main, entry), 'utf8').replace(/\/\*[^]*?\*\//g, '')
  for (const [, name] of text.matchAll(importPattern)) {
    if (seen.has(name!)) continue
    seen.add(name!)
    if (name!.startsWith('./') && existsSync(join(main, name!))) loadedBy(name!, seen)
  }
  return seen
}

test('puts the build’s programs into one folder, and loads Electron only in the desktop host', () => {
  const names = 'main node-host core-thread listener-thread sandbox-thread keychain-process'.split(' ')
  const entries = names.map((name) => `${name}.js`)
  expect(readdirSync(main)).toEqual(expect.arrayContaining(entries))
  expect(entries.filter((entry) => loadedBy(entry).has('electron'))).toEqual(['main.js'])
  expect(entries.filter((entry) => loadedBy(entry).has('keytar'))).toEqual(['keychain-process.js'])
})

test('escapes what is not Latin-1, which would double the memory of a program’s text', () => {
  const programs = readdirSync(main).filter((name) => name.endsWith('.js'))
  const wide = programs.filter((name) => /[\u0100-\uffff]/.test(readFileSync(join(main, name), 'utf8')))
  expect({ isEmpty: programs.length === 0, wide }).toEqual({ isEmpty: false, wide: [] })
})

test('builds the preload as one CommonJS file that requires only Electron', () => {
  const folder = resolve(main, '../preload')
  expect(readdirSync(folder)).toEqual(['preload.cjs'])
  const text = readFileSync(join(folder, 'preload.cjs'), 'utf8')
  expect([...text.matchAll(importPattern)].map(([, name]) => name)).toEqual(['electron'])
})
