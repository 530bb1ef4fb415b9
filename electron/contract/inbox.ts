/** Inbound messages as conversations by number. */
export const inboxContract = {}
