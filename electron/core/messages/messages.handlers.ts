/** Joins the contract of messages to what answers it. */
export const messagesHandlers = {}
