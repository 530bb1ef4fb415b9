import * as z from 'zod'

/** Name and version in a backup's manifest. */
export const backupFormat = 'switchboard-backup'
export const backupVersion = 1

/** First entry of the archive. Large enough for the hashes of thousands of files. */
export const manifestName = 'manifest.json'
export const manifestMaxBytes = 4 << 20

/** The databases of a connection, in reading order: none refers to rows that a later one lacks. */
export const backupDatabases = ['state', 'cache', 'contacts', 'journal'] as const
export type BackupDatabase = (typeof backupDatabases)[number]

/** From `console.db`. Never a secret. */
const backedUpConnectionSchema = z.object({
  name: z.string().max(200),
  baseUrl: z.string().max(2_000),
  colour: z.string().max(20),
  production: z.boolean(),
  credentialKind: z.enum(['password', 'api-key']),
  username: z.string().max(320).nullable(),
  allowPlainHttp: z.boolean(),
  country: z.string().length(2).nullable(),
  dashboardUrl: z.string().nullable(),
})

const fileSchema = z.object({
  /** A database, or a plan of a send: no other path is ever written. */
  name: z.string().regex(/^(?:(?:state|cache|contacts|journal)\.db|sends\/[\w-][\w.-]{0,150})$/),
  sizeBytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type BackedUpFile = z.infer<typeof fileSchema>

export const manifestSchema = z.object({
  format: z.literal(backupFormat),
  version: z.int().min(1),
  switchboard: z.string().max(50),
  createdAt: z.iso.datetime(),
  connection: backedUpConnectionSchema,
  schemas: z.partialRecord(z.enum(backupDatabases), z.int().min(1)),
  /** Without the connection in their keys. */
  settings: z.record(z.string().max(60), z.unknown()),
  files: z.array(fileSchema).max(20_000),
})
export type BackupManifest = z.infer<typeof manifestSchema>

/** File in a restored folder until the connection is saved. */
export const restoringMark = 'restoring'
