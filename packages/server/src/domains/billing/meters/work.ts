import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { aggregateEvents } from './service/aggregate.ts'

export const aggregateMeterEvents: WorkType<'workspace'> = {
  name: 'meter.aggregate',
  objectKind: 'workspace',
  due: dueIn({ work: 'meter.aggregate', kind: 'workspace', table: 'meter_streams', column: 'due_at' }),
  handle: aggregateEvents,
}
