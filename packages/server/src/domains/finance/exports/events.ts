import { defineEvent } from '../../../platform/db/events.ts'
import type { Export } from './export.ts'
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
const started = { ...running, progress: { done: 0, total: null }, rows: 0, sums: [] }

export const exportCreated = exportEvent('created', 'An export started.', { object: started })

export const exportCompleted = exportEvent(
  'completed',
  'An export completed. Its file can be downloaded for 7 days.',
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

export const exportEvents = [exportCreated, exportCompleted, exportFailed, exportCancelled]
