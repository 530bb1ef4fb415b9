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

/** Names that a service may refuse: most allow only letters, digits and _. The spec sets no limit, so you can still send them. */
export const unusualNames = (names: readonly string[]): string[] =>
  names.filter((name) => !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))

/** Problems of a template as sentences; none when you can send it to the service. Variables may be unused. */
export function templateProblems(
  name: string,
  body: string,
  variables: readonly TemplateVariable[],
): string[] {
  const problems: string[] = []
  if (name.trim() === '') problems.push('Enter a name.')
  if (body.trim() === '') problems.push('Enter a text.')
  const used = placeholdersOf(body)
  if (used.includes('')) problems.push('A placeholder has no name.')
  const rest = body.replace(placeholder, '')
  if (rest.includes('{{')) problems.push('A {{ is not closed.')
  else if (rest.includes('}}')) problems.push('A }} was not opened.')
  const named = variables.map((variable) => variable.name)
  for (const missing of used.filter((one) => one !== '' && !named.includes(one)))
    problems.push(`${missing} is not listed as a placeholder.`)
  const twice = named.find((one, at) => named.indexOf(one) !== at)
  if (twice !== undefined) problems.push(`${twice} is listed twice.`)
  return problems
}
