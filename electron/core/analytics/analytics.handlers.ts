/** Joins the contract of analytics to what answers it. */
export const analyticsHandlers = {}
