/** Inbound messages as conversations by number. Answers of an ordinary day. */
export const scriptedInbox = () => ({})
