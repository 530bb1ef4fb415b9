/** What a console's process is called in the list of processes, where another one tells it by that: its program's name, once packaged. */
export const processTitle = 'switchboard'
