type Value = string | number | boolean | null

/** A field of an API record: its name and value there, and how the value is drawn. */
export interface ApiField {
  name: string
  value: Value
  kind: 'id' | 'time' | 'text'
}

/** Drawers show them above. */
const shownElsewhere: readonly string[] = ['id', 'name', 'body']

/** A record's fields under their API names: `sentCount` is `sent_count` there. */
export const apiFieldsOf = (record: object): ApiField[] =>
  Object.entries(record as Record<string, Value>).flatMap(([key, value]) => {
    if (shownElsewhere.includes(key)) return []
    // A sender ID is a number or word that people read.
    const kind = key.endsWith('At') ? 'time' : key.endsWith('Id') && key !== 'senderId' ? 'id' : 'text'
    return { name: key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value, kind }
  })
