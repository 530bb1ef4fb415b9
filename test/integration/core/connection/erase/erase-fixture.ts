import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { EraseReceipt } from '#contract/connection/erase.ts'
import { allContacts, upload, usualChoices } from '../../../../helpers/contact-files.ts'
import { deliverEvents, dlrBody, moBody } from '../../../../helpers/deliver-events.ts'
import type { Rpc, RunningCore } from '../../../../helpers/start-core.ts'
import { eventsStored, taskEnd } from '../../../../helpers/wait-for.ts'

export const secret = 'a-secret-of-the-service'
export const phone = '+4917123456701'
export const personal = ['4917123456701', 'Ada Lovelace', 'ada@x.example', 'prefers mornings', 'Countess of']
export const other = { name: 'Grace Hopper', phone: '+4917123456702', email: 'grace@x.example', tags: {} }

export const deliver = (rpc: Rpc, ...bodies: string[]) => deliverEvents(rpc, secret, ...bodies)

/** Stores two people in contacts, a file, a rejected row, an export, events, the outbox and holds. */
export async function fill(rpc: Rpc): Promise<void> {
  await rpc.listener.addSecret({ label: 'Test', value: secret })
  const table = [
    'Name;Telefon;E-Mail;tag.title;Bemerkung',
    'Ada Lovelace;0171 234567-01;ada@x.example;Countess of Lovelace;prefers mornings',
    'Ada Lovelace;+4917123456701;ada@x.example;;',
    `${other.name};${other.phone};${other.email};;`,
  ].join('\n')
  const { importId, format, guesses } = await rpc.imports.inspect({
    fileId: await upload(rpc, 'people.csv', Buffer.from(table)),
  })
  const choices = { format, columns: guesses, defaultRegion: 'DE', ...usualChoices }
  await taskEnd(rpc, (await rpc.imports.start({ importId, choices })).taskId)
  const selection = { filter: {}, exceptIds: [] }
  const { taskId } = await rpc.contacts.export({ selection, columns: ['name', 'phone'], tagColumns: false })
  await taskEnd(rpc, taskId)
  await deliver(
    rpc,
    moBody('m-1', phone, 'It is Ada Lovelace'),
    moBody('m-1', phone, 'It is Ada Lovelace'),
    moBody('m-2', '+49 (171) 234-56701', 'STOP'),
    dlrBody('m-3', 'delivered', phone),
    `not JSON, ${phone}`,
    moBody('m-4', other.phone, 'Hello'),
    dlrBody('m-5', 'delivered', other.phone),
  )
  await eventsStored(rpc, 6)
  await rpc.contacts.push({ selection, uncheckedKnowingly: true, leaveOutNameless: false })
  await rpc.events.saveFilter({ name: 'Ada', filter: { number: phone } })
}

/** Erases a number and waits for the end. */
export async function erase(rpc: Rpc, number = phone, keepHold = false): Promise<EraseReceipt> {
  const { id, taskId } = await rpc.erase.start({
    phone: number,
    confirm: number.replace('+', '00'),
    keepHold,
  })
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'done', problem: null })
  return (await rpc.erase.receipts()).items.find((receipt) => receipt.id === id)!
}

/** Nothing of the person is left in any file, and everything of the other is. */
export async function expectErased(running: RunningCore): Promise<void> {
  const { rpc } = running
  expect(filesWith(running, personal)).toEqual([])
  expect((await allContacts(rpc)).map(({ name }) => name)).toEqual([other.name])
  const { items: messages } = await rpc.inbox.list({ limit: 10 })
  expect(messages.map(({ sender }) => sender)).toEqual([other.phone.slice(1)])
  const { items: requests } = await rpc.outbox.list({ limit: 10, filter: {} })
  expect(requests.map(({ name }) => name)).toContain(other.name)
}

/** A posted alert about the person. */
export const alertSql = `INSERT INTO alert_posts (message_id, alert_json, created_ms) VALUES ('post', '${JSON.stringify(
  { kind: 'opt-out', title: `Ada Lovelace (${phone}) replied`, body: '' },
)}', 0)`

/** Files of the profile that contain one of the texts. */
export function filesWith(running: RunningCore, texts: readonly string[]): string[] {
  return readdirSync(running.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(running.dataDir, name)
    if (!statSync(file).isFile()) return false
    const bytes = readFileSync(file)
    return texts.some((text) => bytes.includes(text))
  })
}
