import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { presentSystem, SystemObject } from './schema.ts'
import { getSystem } from './service.ts'

export const systemOperations = (deps: Deps) => [
  operation({
    id: 'system.get',
    method: 'GET',
    path: '/system',
    summary: 'Check the installation',
    description:
      'For the operator of the installation: checks the database, disk, NATS, due jobs, webhooks, payment records, addresses, keys and settings. Runs the same checks as the `doctor` command, without the IDs of objects.',
    response: SystemObject,
    present: presentSystem,
    handle: () => getSystem(deps),
  }),
]
