/** Joins the contract of inbox to what answers it. */
export const inboxHandlers = {}
