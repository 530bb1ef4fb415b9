import { parentPort, workerData } from 'node:worker_threads'
import { checkFile } from './check.ts'

/** Entry of the thread that checks one database in full and ends. Its only message is `checkFile`'s result. */
const port = parentPort
if (!port) throw new Error('This file is started as a worker thread')
port.postMessage(checkFile(workerData as string))
