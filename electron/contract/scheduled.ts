/** Messages that the service will send later. */
export const scheduledContract = {}
