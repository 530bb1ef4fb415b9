/** Endings of files that imports, list checks and sends read as tables. */
const tableEndings = ['csv', 'tsv', 'txt', 'xlsx', 'xlsm', 'ods', 'vcf'] as const

/** Names of such files. */
export const tableFileName = new RegExp(String.raw`\.(?:${tableEndings.join('|')})$`, 'i')

/** The endings as a file dialog takes them. */
export const tableFileAccept = tableEndings.map((ending) => `.${ending}`).join(',')
