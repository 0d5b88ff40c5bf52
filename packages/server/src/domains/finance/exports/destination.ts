/** A bucket of S3-compatible storage that daily exports are uploaded to. No side effects. */
import type { Id } from '../../../kernel/id.ts'
import type { SourceName } from './sources.ts'

/** The maximum number of destinations of a workspace. */
export const maxDestinations = 5
/** After this many failed attempts, a destination needs attention. */
export const failuresUntilAttention = 3

export const destinationFormats = ['csv', 'parquet'] as const
export type DestinationFormat = (typeof destinationFormats)[number]
export const destinationStatuses = ['active', 'failing'] as const

export const uploadErrorCodes = [
  'access_denied',
  'bucket_not_found',
  'wrong_region',
  'unreachable',
  'rejected',
  'server_error',
] as const
export type UploadError = { readonly code: (typeof uploadErrorCodes)[number]; readonly message: string }

export type DestinationSettings = {
  readonly name: string | null
  readonly endpointUrl: string
  readonly region: string
  readonly bucket: string
  /** The folder in the bucket, without a trailing slash; null: the files are in the root. */
  readonly prefix: string | null
  readonly accessKeyId: string
  readonly sources: readonly SourceName[]
  readonly format: DestinationFormat
}
export type Destination = DestinationSettings & {
  readonly id: Id<'export_destination'>
  /** The next day to export, in UTC. */
  readonly nextDayOn: string
  readonly dueAt: Date | null
  /** Failed attempts since the last success. */
  readonly failures: number
  readonly failingSinceAt: Date | null
  readonly error: UploadError | null
  readonly lastSuccessAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly deletedAt: Date | null
  readonly version: number
  readonly sequence: number
}

export type DestinationInput = {
  readonly name?: string | null
  readonly endpoint_url?: string
  readonly region?: string
  readonly bucket?: string
  readonly prefix?: string | null
  readonly access_key_id?: string
  readonly of?: readonly SourceName[]
  readonly format?: DestinationFormat
}

/** Omitted members stay unchanged. */
export function changeDestination(before: DestinationSettings, input: DestinationInput): DestinationSettings {
  return {
    name: input.name === undefined ? before.name : input.name,
    endpointUrl: input.endpoint_url ?? before.endpointUrl,
    region: input.region ?? before.region,
    bucket: input.bucket ?? before.bucket,
    prefix: input.prefix === undefined ? before.prefix : input.prefix,
    accessKeyId: input.access_key_id ?? before.accessKeyId,
    sources: [...new Set(input.of ?? before.sources)],
    format: input.format ?? before.format,
  }
}

/** The path of a file in the bucket. */
export function pathIn({ prefix }: Pick<DestinationSettings, 'prefix'>, path: string): string {
  return prefix === null ? path : `${prefix}/${path}`
}

/** The folder with the files of one source and day. Query engines read the day from its name. */
export function folderOf(
  destination: Pick<DestinationSettings, 'prefix'>,
  source: SourceName,
  dayOn: string,
): string {
  return pathIn(destination, `${source}/day=${dayOn}`)
}
