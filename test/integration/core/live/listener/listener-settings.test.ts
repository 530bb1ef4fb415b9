import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createListenerSettings } from '#electron/core/live/listener/listener-settings.ts'
import {
  createSettingsRepository,
  type SettingsRepository,
} from '#electron/core/platform/settings/settings.repository.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'

let dir: string
let close: () => void
let repository: SettingsRepository
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'switchboard-settings-'))
  const opened = openDatabase({ file: join(dir, 'console.db'), schema: 'console', log: quietLog })
  close = () => opened.close()
  repository = createSettingsRepository(opened.db, systemClock)
})
afterEach(() => {
  close()
  rmSync(dir, { recursive: true, force: true })
})

test('gives every connection its own port and keeps it', () => {
  const first = createListenerSettings(repository, 'a', undefined)
  const second = createListenerSettings(repository, 'b', undefined)
  expect(first.read().config.port).toBe(8787)
  expect(second.read().config.port).toBe(8788)
  expect(first.read().config.port).toBe(8787)
  expect(createListenerSettings(repository, 'a', undefined).read().config.port).toBe(8787)
})

test('uses a port given at the start for this run, until the listener is moved', () => {
  const forced = createListenerSettings(repository, 'a', 9_999)
  expect(forced.read().config.port).toBe(9_999)
  forced.write({ ...forced.read(), secrets: [{ id: 's', label: 'S', addedAtMs: 1, retiresAtMs: null }] })
  expect(forced.read()).toMatchObject({ config: { port: 9_999 }, secrets: [{ id: 's' }] })
  expect(createListenerSettings(repository, 'a', undefined).read()).toMatchObject({
    config: { port: 8787 },
    secrets: [{ id: 's' }],
  })
  forced.write({ ...forced.read(), config: { ...forced.read().config, port: 7_777 } })
  expect(forced.read().config.port).toBe(7_777)
})
