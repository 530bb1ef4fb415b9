/** Joins the contract of scheduled to what answers it. */
export const scheduledHandlers = {}
