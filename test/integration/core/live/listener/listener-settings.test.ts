import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  createListenerPlace,
  createListenerSettings,
  listenerSecretAccounts,
  restoredListener,
} from '#electron/core/live/listener/listener-settings.ts'
import {
  createSettingsRepository,
  type SettingsRepository,
} from '#electron/core/platform/settings/settings.repository.ts'
import { openDatabase } from '#electron/database/open.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

let repository: SettingsRepository
beforeEach(() => {
  const file = join(tempFolder(), 'console.db')
  const { db, close } = openDatabase({ file, schema: 'console', log: quietLog })
  onTestFinished(close)
  repository = createSettingsRepository(db, systemClock)
})

const a = { id: 'a', name: 'Harbor' }
const b = { id: 'b', name: 'Producción & Clínica' }
const aSecret = { id: 's', label: 'S', addedAtMs: 1, retiresAtMs: null }
const settingsOf = (connection: typeof a, port?: number) =>
  createListenerSettings(repository, connection, createListenerPlace(repository, port))

test('gives all connections one port, and each its own path', () => {
  const first = settingsOf(a)
  const second = settingsOf(b)
  expect(first.read().config).toMatchObject({ port: 8787, path: '/webhooks' })
  expect(second.read().config).toMatchObject({ port: 8787, path: '/webhooks/produccion-clinica' })
  expect(settingsOf({ id: 'c', name: b.name }).read().config.path).toBe('/webhooks/produccion-clinica-2')
  expect(settingsOf({ id: 'd', name: '…' }).read().config.path).toBe('/webhooks/connection')
  expect(settingsOf(a).read().config.path).toBe('/webhooks')
  expect(second.otherPaths()).toContain('/webhooks')
  expect(first.otherPaths()).not.toContain('/webhooks')
})

test('uses a port given at the start for this run, until the listener is moved', () => {
  const forced = settingsOf(a, 9_999)
  expect(forced.read().config.port).toBe(9_999)
  forced.write({ ...forced.read(), secrets: [aSecret] })
  expect(forced.read()).toMatchObject({ config: { port: 9_999 }, secrets: [{ id: 's' }] })
  expect(settingsOf(a).read()).toMatchObject({ config: { port: 8787 }, secrets: [{ id: 's' }] })
  forced.write({ ...forced.read(), config: { ...forced.read().config, port: 7_777 } })
  expect(forced.read().config.port).toBe(7_777)
})

test('keeps the relay of a restored connection but no consent, and knows the account of its token', () => {
  const place = createListenerPlace(repository, undefined)
  const relay = { mode: 'relay' as const, url: 'https://relay.example', inbox: 'main', webhookUrl: null }
  const settings = createListenerSettings(repository, a, place)
  const { config } = settings.read()
  settings.write({ config: { ...config, allowUnsigned: true }, secrets: [aSecret] })
  settings.writeRelay(relay)
  expect(listenerSecretAccounts(repository, 'a')).toEqual([
    'connection/a/webhook-secret/s',
    'connection/a/relay-token',
  ])
  expect(listenerSecretAccounts(repository, 'without-relay')).toEqual([
    'connection/without-relay/relay-token',
  ])
  restoredListener(repository, a)
  expect(settings.read()).toEqual({ config: { ...config, allowUnsigned: false }, secrets: [] })
  expect(settings.relay()).toEqual(relay)
})
