import { useAnswer } from '../query/use-answer.ts'

/** The listener's address, public address, relay and secrets. Settings and Webhooks share the answer. */
export const useListenerView = () =>
  useAnswer(
    () => listenerViewKey,
    (client, signal) => client.listener.get(undefined, { signal }),
  )

export const listenerViewKey = ['listener', 'view']
