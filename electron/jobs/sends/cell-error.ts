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

/** Whether a cell shows a spreadsheet's error instead of a value, in any language: `#WERT!`, `#N/A`, `Err:502`. */
export const isCellError = (text: string): boolean => errors.test(text.trim())
