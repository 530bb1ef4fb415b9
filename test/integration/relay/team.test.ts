import { openFolder } from '#electron/relay/documents.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { runRelay } from '../../helpers/relay.ts'
import { teamContract } from './team-contract.ts'

teamContract(async () => {
  const relay = await runRelay()
  const readToken = await addToken(openFolder(relay.dataDir), 'display', 'main', 1, true)
  return { ...relay, inbox: 'main', readToken }
})
