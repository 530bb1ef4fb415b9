/** Messages: looked up by id, released where held, listed as far as the service answers. Answers of an ordinary day. */
export const scriptedMessages = () => ({})
