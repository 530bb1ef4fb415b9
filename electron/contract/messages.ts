/** Messages: looked up by id, released where held, listed as far as the service answers. */
export const messagesContract = {}
