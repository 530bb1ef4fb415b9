import { createServer } from 'node:http'
import { openReader } from '#electron/database/open.ts'

/** The least that a console could cost: Node with an HTTP server and an open database, doing nothing. */
const [databaseFile] = process.argv.slice(2)
if (databaseFile !== undefined) openReader(databaseFile)
createServer((_request, response) => response.end()).listen(0, '127.0.0.1', () => process.send!('ready'))
