import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { presentSystem, SystemObject } from './schema.ts'
import { getSystem } from './service.ts'

export const systemOperations = (deps: Deps) => [
  operation({
    id: 'system.get',
    method: 'GET',
    path: '/system',
    summary: 'Check the installation',
    description:
      'For whoever operates it: database, migrations, isolation, partitions, clock, NATS, work that is due, addresses, keys. The same checks as the command `doctor`.',
    answer: SystemObject,
    present: presentSystem,
    verb: () => getSystem(deps),
  }),
]
