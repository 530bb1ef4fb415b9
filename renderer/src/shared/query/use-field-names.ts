import { useAnswer } from './use-answer.ts'

/** The connection’s field names, one query for all users. */
export function useFieldNamesQuery() {
  return useAnswer(
    () => ['field-names'],
    (client) => client.settings.getFieldNames(),
  )
}

export const useFieldNames = () => useFieldNamesQuery().data
