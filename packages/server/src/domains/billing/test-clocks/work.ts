import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { runClock } from './service/run.ts'

export const advanceTestClocks: WorkType<'test_clock'> = {
  name: 'test_clock.advance',
  objectKind: 'test_clock',
  due: dueIn({ work: 'test_clock.advance', kind: 'test_clock', table: 'test_clocks', column: 'due_at' }),
  handle: runClock,
}
