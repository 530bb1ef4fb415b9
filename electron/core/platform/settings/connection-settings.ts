/** Every setting of a connection, and whether its backup has it. Secrets are in the keychain instead. */
const connectionSettings = {
  background: false,
  dnc: true,
  'field-names': true,
  listener: true,
  'listener-first-failure': false,
  'numbers-read-with': false,
  place: true,
  restored: false,
  retention: true,
}

export type ConnectionSetting = keyof typeof connectionSettings

export const backedUpSettings = (Object.keys(connectionSettings) as ConnectionSetting[]).filter(
  (name) => connectionSettings[name],
)

export const settingKey = (connectionId: string, name: ConnectionSetting): string =>
  settingKeysOf(connectionId) + name

export const settingKeysOf = (connectionId: string): string => `connection/${connectionId}/`
