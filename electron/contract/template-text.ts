import type { Phrase } from './phrases.ts'

/**
 * Template placeholders: `{{name}}`, the name trimmed (spec, "Template"; spaces inside the braces occur in practice).
 * Without schemas, so page and core share it.
 */
export interface TemplateVariable {
  name: string
  /** Types of the spec. */
  type: 'string' | 'number'
}

const placeholder = /\{\{([^{}]*)\}\}/g

/** Placeholder names in order, without duplicates. */
export function placeholdersOf(body: string): string[] {
  return [...new Set([...body.matchAll(placeholder)].map((match) => match[1]!.trim()))]
}

/** Fills in the values. Placeholders without a value stay visible. */
export function renderTemplate(body: string, values: ReadonlyMap<string, string | number>): string {
  return body.replace(placeholder, (whole, name: string) => {
    const value = values.get(name.trim())
    return value === undefined ? whole : String(value)
  })
}

/** Names that a service may refuse: most allow only letters, digits and _. The spec sets no limit, so you can still send them. */
export const unusualNames = (names: readonly string[]): string[] =>
  names.filter((name) => !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))

const word = String.raw`[\p{L}_][\p{L}\p{N}_]*`
const foreignPlaceholder = new RegExp(
  [
    String.raw`\$?\{[\p{L}_][\p{L}\p{N}_ .-]*\}`,
    String.raw`\[{1,2}${word}\]{1,2}`,
    String.raw`<{1,2}${word}>{1,2}`,
    // Two digits between percent signs are a part of a link, as in `caf%C3%A9`.
    String.raw`%(?![0-9A-Fa-f]{2}%)${word}%`,
    String.raw`\*\|[\p{L}\p{N}_]+\|\*`,
  ].join('|'),
  'gu',
)

/** Placeholders as other programs write them: `{name}`, `${name}`, `[name]`, `<<name>>`, `%NAME%`, `*|NAME|*`. They are sent as written. */
export const foreignPlaceholders = (body: string): string[] => [
  ...new Set(body.replace(placeholder, ' ').match(foreignPlaceholder)),
]

/** Problems of a template; none when you can send it to the service. Variables may be unused. */
export function templateProblems(
  name: string,
  body: string,
  variables: readonly TemplateVariable[],
): Phrase[] {
  const problems: Phrase[] = []
  if (name.trim() === '') problems.push({ key: 'template.noName' })
  if (body.trim() === '') problems.push({ key: 'template.noText' })
  const used = placeholdersOf(body)
  if (used.includes('')) problems.push({ key: 'template.unnamed' })
  const rest = body.replace(placeholder, '')
  if (rest.includes('{{')) problems.push({ key: 'template.unclosed', braces: '{{' })
  else if (rest.includes('}}')) problems.push({ key: 'template.unopened', braces: '}}' })
  const named = variables.map((variable) => variable.name)
  for (const missing of used.filter((one) => one !== '' && !named.includes(one)))
    problems.push({ key: 'template.unlisted', name: missing })
  const twice = named.find((one, at) => named.indexOf(one) !== at)
  if (twice !== undefined) problems.push({ key: 'template.twice', name: twice })
  return problems
}
