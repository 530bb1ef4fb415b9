/** Templates known to this console, and sending by them over the OTT channel. */
export const templatesContract = {}
