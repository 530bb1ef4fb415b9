import { type TemplateVariable, placeholdersOf } from '#contract/template-text.ts'

/** What is typed of a template. Types and example values are kept by name, also of names that are just being changed. */
export interface TemplateDraft {
  /** Only of one that is adopted. */
  serviceId: string
  name: string
  body: string
  types: Record<string, TemplateVariable['type']>
  /** Comma-separated names: those the text does not use, or all if the text is unknown. */
  names: string
}

export const emptyDraft = (): TemplateDraft => ({ serviceId: '', name: '', body: '', types: {}, names: '' })

/** The placeholders of a draft: those in its text and those added by hand. */
export function variablesOf({ body, types, names }: TemplateDraft): TemplateVariable[] {
  return [...new Set([...placeholdersOf(body), ...names.split(',').map((name) => name.trim())])]
    .filter((name) => name !== '')
    .map((name) => ({ name, type: Object.hasOwn(types, name) ? types[name]! : 'string' }))
}

/** A value to show a variable with before there is a real one. */
export const exampleOf = ({ name, type }: TemplateVariable): string | number =>
  type === 'number' ? 42 : name

const drafts = new Map<string, TemplateDraft>()

/** Drafts of the window, by connection and form: leaving the page does not take away what was typed. */
export const templateDrafts = {
  get: (key: string): TemplateDraft => drafts.get(key) ?? emptyDraft(),
  put: (key: string, draft: TemplateDraft): void => void drafts.set(key, draft),
  forget: (key: string): void => void drafts.delete(key),
}
