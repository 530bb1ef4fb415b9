/* eslint-disable @typescript-eslint/no-require-imports -- a sandboxed preload is CommonJS */
const { contextBridge, ipcRenderer } = require('electron')

function attempt(run) {
  try {
    return String(run())
  } catch (error) {
    return `threw: ${error.message}`
  }
}

class Custom {
  constructor() {
    this.kept = 1
  }
  method() {}
}
const cyclic = { name: 'cyclic' }
cyclic.self = cyclic

contextBridge.exposeInMainWorld('probe', {
  number: 1,
  list: ['a', { b: 2 }],
  instance: new Custom(),
  echo: (value) => value,
  fails: () => {
    throw new Error('from the preload')
  },
  later: async (value) => value + 1,
})

ipcRenderer.on('answer', (_event, carried) => ipcRenderer.send('answered', carried))
ipcRenderer.send('probe', {
  modules: Object.fromEntries(
    [
      'electron',
      'events',
      'timers',
      'url',
      'node:events',
      'node:url',
      'fs',
      'node:fs',
      'child_process',
      'path',
      'net',
      'os',
      'crypto',
      'worker_threads',
      './other.cjs',
      'keytar',
    ].map((name) => [name, attempt(() => typeof require(name))]),
  ),
  members: ['contextBridge', 'ipcRenderer', 'webFrame'].map((name) => typeof require('electron')[name]),
  globals: {
    require: typeof require,
    process: typeof process,
    sandboxed: attempt(() => process.sandboxed),
    mainModule: typeof globalThis.module,
    globalRequire: typeof globalThis.require,
    globalProcess: typeof globalThis.process,
    setImmediate: typeof setImmediate,
  },
  unclonable: attempt(() => ipcRenderer.send('probe-nothing', () => {})),
  carried: {
    date: new Date(5),
    map: new Map([['k', new Set([1])]]),
    bytes: new Uint8Array([1, 2]),
    none: undefined,
    big: 10n,
    zero: -0,
    cyclic,
  },
})
