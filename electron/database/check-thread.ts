import { parentPort, workerData } from 'node:worker_threads'
import { checkFile } from './check.ts'

/** What the thread is started with. */
export interface CheckOrder {
  /** The database, absolute. */
  file: string
}

/** Entry of the thread that checks one database whole and ends. Its only message is what is wrong, as of `checkFile`. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')
port.postMessage(checkFile((workerData as CheckOrder).file))
