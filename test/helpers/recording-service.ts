import type { InputOf } from '#contract/define.ts'
import type { templatesContract } from '#contract/people/templates.ts'
import { onTestFinished } from 'vitest'
import { createFastDayClock } from './fast-clock.ts'
import { json, startFixtureService } from './fixture-service.ts'
import { connectTo, startTestCore } from './test-core.ts'

/** A console with a template, connected to a service that only records. Ends with the test. */
export async function openWithTemplate(template: InputOf<typeof templatesContract, 'create'>) {
  const service = await startFixtureService()
  onTestFinished(() => service.stop())
  const variables = Object.fromEntries(template.variables.map(({ name, type }) => [name, type]))
  service.on('GET /dashboard', json(200, { messages_today: 1 }))
  service.on('POST /templates', json(201, { id: 't-1', name: template.name, variables }))
  service.on('POST /ott/messages', json(201, { id: 'm-1', status: 'delivered' }))
  const { rpc } = await startTestCore({ clock: createFastDayClock(50) })
  await connectTo(rpc, service.baseUrl, 'Recorder')
  const { key } = await rpc.templates.create(template)
  return { rpc, key, service }
}
