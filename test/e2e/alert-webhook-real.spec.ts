import { expect } from '@playwright/test'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { realConsole } from './real-console.ts'

const test = realConsole({ ratePerSecond: 0 })

test('sets up, tests and removes the alert webhook in Settings', async ({ page, open }) => {
  const bodies: string[] = []
  const receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (part: string) => bodies.push(part))
    request.on('end', () => response.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo

  await open('/settings?section=notifications')
  const webhook = page.getByRole('region', { name: 'Alert webhook' })
  await webhook.getByRole('button', { name: 'Set up…' }).click()
  await expect(webhook.getByText('Format', { exact: true })).toBeVisible()
  await expect(webhook).not.toContainText('Please Input')
  await expect(webhook.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  await expect(webhook.getByRole('group', { name: 'Alerts to post' })).toBeVisible()
  await webhook.getByLabel('Address').fill('http://chat.example/hook')
  await webhook.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(webhook.getByRole('alert')).toContainText('must begin with https://')
  await webhook.getByLabel('Address').fill(`http://127.0.0.1:${port}/hook/planted-secret`)
  await webhook.getByRole('button', { name: 'Save and send test' }).click()
  await expect(webhook).toContainText(`Posts to 127.0.0.1:${port}. Format: Slack.`)
  await expect(webhook).not.toContainText('planted-secret')
  await expect(webhook.getByRole('row', { name: /Test alert/ })).toContainText('Delivered')
  expect(bodies.join('')).toContain('Test alert')
  await webhook.getByRole('button', { name: 'Edit' }).click()
  await webhook.getByText('Slack', { exact: true }).click()
  await page.getByRole('option', { name: 'JSON, signed' }).click()
  await webhook.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(webhook).toContainText('Copy it now.')
  await webhook.getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(webhook).toContainText(`Posts to 127.0.0.1:${port}. Format: JSON, signed.`)
  await webhook.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(webhook.getByRole('button', { name: 'Set up…' })).toBeVisible()
  await expect(webhook).not.toContainText('Copy it now.')
  receiver.close()
})
