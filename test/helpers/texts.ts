/** Texts between bars and in lines. */
export const texts = (block: string) => block.trim().split(/ \| |\n\s*/)
