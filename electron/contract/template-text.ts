/**
 * What a template's text is to this console: placeholders in double braces, the name within trimmed (spec, "Template"; blanks inside the
 * braces are seen in the field). Without schemas, so that the page uses it as the core does.
 */
export interface TemplateVariable {
  name: string
  /** Types of the spec. */
  type: 'string' | 'number'
}

const placeholder = /\{\{([^{}]*)\}\}/g

/** The names a text uses, each once, in the order in which they first come. */
export function placeholdersOf(body: string): string[] {
  return [...new Set([...body.matchAll(placeholder)].map((match) => match[1]!.trim()))]
}

/** The text with its values filled in. What has no value stays as it is written, so that it is seen. */
export function renderTemplate(body: string, values: ReadonlyMap<string, string | number>): string {
  return body.replace(placeholder, (whole, name: string) => {
    const value = values.get(name.trim())
    return value === undefined ? whole : String(value)
  })
}

/** What would be wrong with a template, as sentences; none when it can be sent to the service. */
export function templateProblems(
  name: string,
  body: string,
  variables: readonly TemplateVariable[],
): string[] {
  const problems: string[] = []
  if (name.trim() === '') problems.push('The template has no name.')
  if (body.trim() === '') problems.push('The template has no text.')
  const used = placeholdersOf(body)
  if (used.includes('')) problems.push('A pair of braces has no name in it.')
  const rest = body.replace(placeholder, '')
  if (rest.includes('{{')) problems.push('Two opening braces are not closed.')
  else if (rest.includes('}}')) problems.push('Two closing braces were not opened.')
  const named = variables.map((variable) => variable.name)
  for (const missing of used.filter((one) => one !== '' && !named.includes(one)))
    problems.push(`The text uses ${missing}, which is not among the variables.`)
  for (const extra of named.filter((one) => !used.includes(one)))
    problems.push(`The variable ${extra} is not used in the text.`)
  const twice = named.find((one, at) => named.indexOf(one) !== at)
  if (twice !== undefined) problems.push(`The variable ${twice} is there twice.`)
  return problems
}
