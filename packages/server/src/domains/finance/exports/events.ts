import { defineEvent } from '../../../platform/db/events.ts'
import type { Destination } from './destination.ts'
import type { Export } from './export.ts'
import { DestinationObject, presentDestination } from './schema/destinations.ts'
import { ExportObject, present } from './schema.ts'

const exportEvent = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<Export>({ type: `export.${verb}`, about, schema: ExportObject, present, example })

const running = {
  status: 'running',
  failure: null,
  file: null,
  expires_at: null,
  completed_at: null,
}
const file = {
  name: 'journal-2026-11-14-2026-11-14.csv',
  bytes: 482_133,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
}
const started = { ...running, progress: { done: 0, total: null }, rows: 0, sums: [] }

export const exportCreated = exportEvent('created', 'An export started.', { object: started })

export const exportWritten = exportEvent(
  'written',
  'The file of a daily export was written and is now being uploaded to the destination.',
  {
    object: {
      ...running,
      status: 'uploading',
      file,
      export_destination_id: 'export_destination_test_01M7CYVGQTEAKSNTBFR026MPQ1',
      upload: { path: 'switchyard/journal/day=2026-11-14', attempts: 0, error: null, next_attempt_at: null },
    },
    before: { status: 'running', file: null },
  },
)

export const exportCompleted = exportEvent(
  'completed',
  'An export completed. Its file can be downloaded for 7 days; the file of a daily export is in the bucket.',
  { before: running },
)

export const exportFailed = exportEvent('failed', 'An export failed. `failure` contains the reason.', {
  object: { ...started, status: 'failed', failure: 'too_large', completed_at: '2026-11-14T12:00:00.000Z' },
  before: { status: 'running', failure: null, completed_at: null },
})

export const exportCancelled = exportEvent('cancelled', 'An export was cancelled.', {
  object: { ...started, status: 'cancelled', completed_at: '2026-11-14T12:00:00.000Z' },
  before: { status: 'running', completed_at: null },
})

const destinationEvent = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<Destination>({
    type: `export_destination.${verb}`,
    about,
    schema: DestinationObject,
    present: presentDestination,
    example,
  })

export const destinationCreated = destinationEvent('created', 'An export destination was created.')

export const destinationUpdated = destinationEvent(
  'updated',
  'An export destination was updated. `previous` contains the old values; a new secret is not included.',
  { before: { bucket: 'old-bucket' } },
)

export const destinationDeleted = destinationEvent(
  'deleted',
  'An export destination was deleted. Its exports that had not ended were cancelled.',
)

export const destinationFailing = destinationEvent(
  'failing',
  'Three attempts to write to an export destination have failed. `error` contains the reason. Uploads are retried until they succeed.',
  {
    object: {
      status: 'failing',
      failing_since_at: '2026-11-14T12:00:00.000Z',
      error: {
        code: 'access_denied',
        message:
          'The access key is wrong, or may not write to this bucket. The storage returned status 403 (InvalidAccessKeyId).',
      },
    },
  },
)

export const destinationRecovered = destinationEvent(
  'recovered',
  'An export destination that was failing can be written to again.',
)

export const exportEvents = [
  exportCreated,
  exportWritten,
  exportCompleted,
  exportFailed,
  exportCancelled,
  destinationCreated,
  destinationUpdated,
  destinationDeleted,
  destinationFailing,
  destinationRecovered,
]
