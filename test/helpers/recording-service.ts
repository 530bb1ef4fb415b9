import type { InputOf } from '#contract/define.ts'
import type { templatesContract } from '#contract/people/templates.ts'
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest'
import { createFastDayClock } from './fast-clock.ts'
import { json, startFixtureService } from './fixture-service.ts'
import { startCore } from './start-core.ts'
import { connectTo, forgetPeople } from './test-core.ts'

type Template = InputOf<typeof templatesContract, 'create'>

async function start(template: Template) {
  const service = await startFixtureService()
  const variables = Object.fromEntries(template.variables.map(({ name, type }) => [name, type]))
  service.on('GET /webhooks/subscriptions', json(404, { error: 'not found' }))
  service.on('GET /dashboard', json(200, { messages_today: 1 }))
  service.on('POST /templates', json(201, { id: 't-1', name: template.name, variables }))
  service.on('POST /ott/messages', json(201, { id: 'm-1', status: 'delivered' }))
  const running = await startCore({ clock: createFastDayClock(50, { keepDeadlines: true }) })
  const { rpc } = running
  await connectTo(rpc, service.baseUrl, 'Recorder')
  const { key } = await rpc.templates.create(template)
  const stop = async () => {
    await running.stop()
    await service.stop()
  }
  return { rpc, key, service, stop }
}

/** A console with a template, connected to a service that only records. Ends with the test. */
export async function openWithTemplate(template: Template) {
  const opened = await start(template)
  onTestFinished(opened.stop)
  return opened
}

/** The same for all tests of a file, without contacts and recorded requests after each. */
export function shareWithTemplate(template: Template) {
  let shared: Awaited<ReturnType<typeof start>>
  beforeAll(async () => void (shared = await start(template)))
  afterEach(async () => {
    await forgetPeople(shared.rpc)
    shared.service.requests.splice(0)
  })
  afterAll(() => shared.stop())
  return () => shared
}
