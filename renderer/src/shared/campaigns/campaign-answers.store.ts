import type { Connection } from '#contract/connections.ts'
import { defineStore } from 'pinia'
import { type CampaignAnswers, createCampaignAnswers } from './campaign-answers.ts'

/** What this window knows of the campaigns of the connection in use, from page to page. */
export const useCampaignAnswersStore = defineStore('campaign-answers', () => {
  let key = ''
  let answers = createCampaignAnswers()

  /** The answers of `connection`. Another connection, address or sign-in begins with none. */
  function of(connection: Connection | null): CampaignAnswers {
    const next = JSON.stringify(
      connection && [connection.id, connection.baseUrl, connection.credentialKind, connection.username],
    )
    if (next !== key) answers = createCampaignAnswers()
    key = next
    return answers
  }

  return { of }
})
