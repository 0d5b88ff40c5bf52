import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { runSimulation } from './service/run.ts'

export const runSimulations: Work<'route_simulation'> = {
  name: 'route_simulation.run',
  key: 'route_simulation',
  // It takes a processor for as long as it runs, so one process does one of them at a time.
  hands: 1,
  due: dueIn({
    work: 'route_simulation.run',
    kind: 'route_simulation',
    table: 'route_simulations',
    column: 'due_at',
  }),
  handle: runSimulation,
}
