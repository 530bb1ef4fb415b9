/** The emails in a cell, in lower case. */
export const emailsIn = (cell: string): string[] =>
  cell.includes('@')
    ? (cell.toLowerCase().match(/[^\s@<>()[\]:;,"]+@[^\s@<>()[\]:;,"]+\.[\p{L}\d]+/gu) ?? [])
    : []
