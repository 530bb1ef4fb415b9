/** Every page of a connection, by its path. */
export const everyPage = [
  ...['overview', 'events', 'inbox', 'campaigns', 'messages', 'templates', 'scheduled', 'outbox'],
  ...['contacts', 'imports', 'dnc', 'analytics', 'webhooks', 'error-codes', 'settings', 'connections'],
]
