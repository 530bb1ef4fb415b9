/** The columns in which a file's numbers are read, in order. */
export const columnsRead = (file: { phoneColumn: number; numberColumns: readonly number[] }): number[] => [
  ...new Set([file.phoneColumn, ...file.numberColumns]),
]
