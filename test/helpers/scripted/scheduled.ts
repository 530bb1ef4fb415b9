/** Messages that the service will send later. Answers of an ordinary day. */
export const scriptedScheduled = () => ({})
