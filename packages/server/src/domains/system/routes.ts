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
      'For whoever operates it: database, disk, NATS, work that is due, webhooks, books, addresses, keys and settings. The same checks as the command `doctor`, without the ids of objects.',
    answer: SystemObject,
    present: presentSystem,
    verb: () => getSystem(deps),
  }),
]
