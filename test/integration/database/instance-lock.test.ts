import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lockProfile } from '#electron/database/instance-lock.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

const source = pathToFileURL(resolve(import.meta.dirname, '../../../electron/database/instance-lock.ts')).href

/** Another process that locks the profile, reports it and stays. */
async function otherProcess(folder: string) {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { lockProfile } from ${JSON.stringify(source)}
       try { lockProfile(${JSON.stringify(folder)}); console.log('locked') } catch (error) { console.log(error.code) }
       setInterval(() => {}, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, said: said.toString().trim() }
}

describe('the lock of a profile', () => {
  it('refuses a second process, names the owner, and is released when that is killed', async () => {
    const folder = tempFolder()
    const { child, said } = await otherProcess(folder)
    expect(said).toBe('locked')
    expect(() => lockProfile(folder)).toThrow(
      expect.objectContaining({ code: 'OTHER_INSTANCE', data: { pid: child.pid } }),
    )
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    lockProfile(folder).release()
  })

  it('refuses a second lock of the same process, and is available to another after release', async () => {
    const folder = tempFolder()
    const lock = lockProfile(folder)
    expect(() => lockProfile(folder)).toThrow(
      expect.objectContaining({ code: 'OTHER_INSTANCE', data: { pid: process.pid } }),
    )
    lock.release()
    lock.release()
    lockProfile(folder).release()
    expect((await otherProcess(folder)).said).toBe('locked')
  })

  it('ignores a stale or broken owner file', () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'owner.json'), '{"pid": 1')
    const lock = lockProfile(folder)
    expect(statSync(join(folder, 'owner.db')).mode & 0o777).toBe(0o600)
    lock.release()
  })
})
