/** Export destinations in the API. Their secrets are only accepted, never returned. */
import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  Deleted,
  IdOf,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../../kernel/shapes.ts'
import {
  type Destination,
  destinationFormats,
  destinationStatuses,
  type UploadError,
  uploadErrorCodes,
} from '../destination.ts'
import { dailySourceNames } from '../sources.ts'

const name = nullableWithExample(
  Type.String({ minLength: 1, maxLength: 100, description: 'Display name.', examples: ['Data warehouse'] }),
)
const endpointUrl = Type.String({
  minLength: 1,
  maxLength: 500,
  description:
    'URL of the storage, without the bucket: https, on port 443 or a port from 1024, and reachable from the internet.',
  examples: ['https://s3.eu-central-1.amazonaws.com'],
})
const region = Type.String({
  pattern: '^[a-z0-9-]{1,50}$',
  description: 'Region of the bucket. Storage without regions usually expects `us-east-1` or `auto`.',
  examples: ['eu-central-1'],
})
const bucket = Type.String({
  pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
  description: 'Name of the bucket.',
  examples: ['example-exports'],
})
const prefix = nullableWithExample(
  Type.String({
    maxLength: 200,
    // A segment cannot start with a dot, so no path leaves the bucket.
    pattern: '^[A-Za-z0-9_][A-Za-z0-9_=.-]*(/[A-Za-z0-9_][A-Za-z0-9_=.-]*)*$',
    description:
      'Folder in the bucket, without a trailing slash. Null: the files are at the top level of the bucket.',
    examples: ['switchyard'],
  }),
)
const accessKeyId = Type.String({
  pattern: '^[A-Za-z0-9_-]{3,128}$',
  description: 'ID of the access key. The key needs only the permission to write objects (`s3:PutObject`).',
  examples: ['AKIAIOSFODNN7EXAMPLE'],
})
const secretAccessKey = Type.String({
  minLength: 8,
  maxLength: 256,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'Secret of the access key. It is stored encrypted and never returned.',
})
const of = Type.Array(OneOf(dailySourceNames), {
  minItems: 1,
  maxItems: 20,
  description:
    'What is exported each day: objects with events of that day, in their current state, and the postings, credit entries and payouts that were written or changed on it.',
  examples: [['payments', 'journal']],
})
const format = OneOf(destinationFormats, {
  description: 'Format of the files.',
  examples: ['parquet'],
  loggable: true,
})

export const CreateDestination = Type.Object(
  {
    name: Type.Optional(name),
    endpoint_url: endpointUrl,
    region,
    bucket,
    prefix: Type.Optional(prefix),
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    of,
    format,
  },
  { additionalProperties: false },
)
export type CreateDestination = Static<typeof CreateDestination>

export const UpdateDestination = Type.Object(
  {
    name: Type.Optional(name),
    endpoint_url: Type.Optional(endpointUrl),
    region: Type.Optional(region),
    bucket: Type.Optional(bucket),
    prefix: Type.Optional(prefix),
    access_key_id: Type.Optional(accessKeyId),
    secret_access_key: Type.Optional(secretAccessKey),
    of: Type.Optional(of),
    format: Type.Optional(format),
  },
  { additionalProperties: false },
)
export type UpdateDestination = Static<typeof UpdateDestination>

export const UploadErrorObject = Type.Object(
  {
    code: OneOf(uploadErrorCodes, { description: 'Type of the error.', loggable: true }),
    message: Type.String({ description: 'What is wrong, and what to do.' }),
  },
  { description: 'Why the last attempt failed. Null if it succeeded.' },
)

export const DestinationObject = Type.Object(
  {
    id: IdOf('export_destination'),
    object: Type.Literal('export_destination'),
    name,
    status: OneOf(destinationStatuses, {
      description: '`failing`: the last attempt to write to the bucket failed. It is retried.',
      examples: ['active'],
      loggable: true,
    }),
    endpoint_url: endpointUrl,
    region,
    bucket,
    prefix,
    access_key_id: accessKeyId,
    of,
    format,
    next_day: Type.String({
      format: 'date',
      description: 'Next day to export, in UTC. A day is exported 30 minutes after its end.',
      examples: ['2026-11-14'],
      loggable: true,
    }),
    error: nullableWithNullExample(UploadErrorObject),
    failing_since_at: nullableWithNullExample({
      ...Time,
      description: 'Time of the first failed attempt. Null if the last attempt succeeded.',
    }),
    last_success_at: nullable({
      ...Time,
      description: 'Time of the last successful upload or check. Null if there was none.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'ExportDestination',
    description: 'A bucket of S3-compatible storage that daily exports are uploaded to.',
  },
)

export const DestinationPath = Type.Object({ export_destination_id: IdOf('export_destination') })
export const DeletedDestination = Deleted('export_destination', 'DeletedExportDestination')

/** The response never contains the secret. */
export function presentDestination(destination: Destination): Static<typeof DestinationObject> {
  return {
    id: destination.id,
    object: 'export_destination',
    name: destination.name,
    status: destination.failures === 0 ? 'active' : 'failing',
    endpoint_url: destination.endpointUrl,
    region: destination.region,
    bucket: destination.bucket,
    prefix: destination.prefix,
    access_key_id: destination.accessKeyId,
    of: [...destination.sources],
    format: destination.format,
    next_day: destination.nextDayOn,
    error: presentError(destination.error),
    failing_since_at: destination.failingSinceAt?.toISOString() ?? null,
    last_success_at: destination.lastSuccessAt?.toISOString() ?? null,
    created_at: destination.createdAt.toISOString(),
    updated_at: destination.updatedAt.toISOString(),
  }
}

export function presentError(error: UploadError | null): Static<typeof UploadErrorObject> | null {
  return error === null ? null : { code: error.code, message: error.message }
}

export function presentDeletedDestination({ id }: Destination): Static<typeof DeletedDestination> {
  return { id, object: 'export_destination', deleted: true }
}
