/** Templates known to this console, and sending by them over the OTT channel. Answers of an ordinary day. */
export const scriptedTemplates = () => ({})
