import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { runClock } from './service/run.ts'

export const advanceTestClocks: Work<'test_clock'> = {
  name: 'test_clock.advance',
  key: 'test_clock',
  due: dueIn({ work: 'test_clock.advance', kind: 'test_clock', table: 'test_clocks', column: 'due_at' }),
  handle: runClock,
}
