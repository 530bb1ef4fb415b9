/** Errors without a mark at their end, in the languages of Excel and LibreOffice. */
const unmarked = 'GETTING_DATA|NV|NA|YOK|BRAK|NENÍ_K_DISPOZICI|NEDOSTUPNÝ|HIÁNYZIK|PUUDUB|SAKNAS'
const errors = new RegExp(
  [
    String.raw`^#[¡¿]?\p{Lu}[\p{Lu}\d/_ ]*[!?]$`,
    String.raw`^#\p{Lu}/\p{Lu}+$`,
    `^#(?:${unmarked})$`,
    // LibreOffice numbers some of them.
    String.raw`^(?:Err|Fehler|Erreur|Error|Errore|Erro|Fout|Ошибка|Błąd) ?: ?\d{3}$`,
    // A column that is too narrow; a sheet that is still calculated.
    String.raw`^#{3,}$|^Loading(?:\.{3}|…)$`,
  ].join('|'),
  'u',
)

/** As SQL Server and MySQL export a missing value. */
const missing = /^(?:NULL|\\N)$/

/** Whether a cell shows a spreadsheet's error instead of a value, in any language: `#WERT!`, `#N/A`, `Err:502`. */
export const isCellError = (text: string): boolean => errors.test(text.trim())

/** Whether a cell shows that a program has no value for it: a spreadsheet's error, or a database's missing value. */
export const isNoValue = (text: string): boolean => missing.test(text.trim()) || isCellError(text)
