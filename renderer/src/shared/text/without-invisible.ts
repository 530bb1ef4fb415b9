/** Text without the invisible characters that a copy from a page or a chat brings along. */
export const withoutInvisible = (text: string): string =>
  text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
