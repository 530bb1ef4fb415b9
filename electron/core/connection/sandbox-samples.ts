import type { SandboxAccess } from '../ports.ts'
import type { OpenConnection } from './open-connection.ts'

/** Gives a new sandbox connection the contacts and templates that its service holds already. */
export async function addSamples(
  { contacts, templates }: Pick<OpenConnection['features'], 'contacts' | 'templates'>,
  samples: NonNullable<SandboxAccess['samples']>,
): Promise<void> {
  for (const { id: serviceId, name, body, variables } of samples.templates)
    templates.adopt({
      serviceId,
      name,
      body,
      variables: Object.entries(variables).map(([name, type]) => ({
        name,
        type: type === 'number' ? 'number' : 'string',
      })),
    })
  for (const { id: serviceId, name, phone, email = '', tags } of samples.contacts)
    await contacts.create({ serviceId, name, firstName: '', lastName: '', phone, email, tags })
}
