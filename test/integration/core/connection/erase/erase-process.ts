import { startCore } from '../../../../helpers/start-core.ts'

/** A console on a folder, for tests that kill it. It resumes the folder's erasure, or starts one of a given number. */
const [dataDir, phone] = process.argv.slice(2)
const { rpc } = await startCore({ dataDir: dataDir! })
await rpc.connections.openSandbox()
if (phone) await rpc.erase.start({ phone, confirm: phone, keepHold: false })
// Stays until it is killed.
setInterval(() => {}, 60_000)
