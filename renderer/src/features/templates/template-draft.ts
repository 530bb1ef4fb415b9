import { type TemplateVariable, placeholdersOf } from '#contract/template-text.ts'

/** A template as typed. Types are stored by name, even while a name is being changed. */
export interface TemplateDraft {
  /** Only when adding by id. */
  serviceId: string
  name: string
  body: string
  types: Record<string, TemplateVariable['type']>
  /** Comma-separated names: those the text does not use, or all if the text is unknown. */
  names: string
}

export const emptyDraft = (): TemplateDraft => ({ serviceId: '', name: '', body: '', types: {}, names: '' })

/** The placeholders of a draft: those in its text and those added manually. */
export function variablesOf({ body, types, names }: TemplateDraft): TemplateVariable[] {
  return [...new Set([...placeholdersOf(body), ...names.split(',').map((name) => name.trim())])]
    .filter((name) => name !== '')
    .map((name) => ({ name, type: Object.hasOwn(types, name) ? types[name]! : 'string' }))
}
