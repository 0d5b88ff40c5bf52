import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { runSimulation } from './service/run.ts'

export const runSimulations: WorkType<'route_simulation'> = {
  name: 'route_simulation.run',
  objectKind: 'route_simulation',
  // A simulation occupies one CPU, so each process runs one at a time.
  concurrency: 1,
  due: dueIn({
    work: 'route_simulation.run',
    kind: 'route_simulation',
    table: 'route_simulations',
    column: 'due_at',
  }),
  handle: runSimulation,
}
