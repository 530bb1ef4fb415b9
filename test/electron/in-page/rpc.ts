import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { type Contract, contract } from '#contract/contract.ts'
// Imported for `window.switchboard`.
import type {} from '../../../renderer/src/rpc/connect.ts'

declare global {
  interface Window {
    /** Asks the preload for another port. */
    openPort(): Promise<MessagePort>
    /** A core client over such a port. */
    openRpc(): Promise<ContractRouterClient<Contract>>
  }
}

window.openPort = () =>
  new Promise((resolve) => {
    window.addEventListener('message', function receive(event) {
      const port = event.ports[0]
      if (!port) return
      window.removeEventListener('message', receive)
      resolve(port)
    })
    window.switchboard!.requestPort()
  })

window.openRpc = async () => {
  const port = await window.openPort()
  const client: ContractRouterClient<Contract> = createORPCClient(new RPCLink({ port }))
  port.start()
  // A client answers to every name, including `then`, so a promise would treat it as one.
  return Object.assign(
    Object.create(null) as object,
    Object.fromEntries(Object.keys(contract).map((group) => [group, client[group as keyof Contract]])),
  ) as unknown as typeof client
}
