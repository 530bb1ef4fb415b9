/** A field of an API record: its name and value there, and how the value is drawn. */
export type ApiField = [name: string, value: string | number | boolean | null, kind?: 'id' | 'time']
