/** The console's process name in the process list. */
export const processTitle = 'switchboard'
