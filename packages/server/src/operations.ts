/** Every operation of the API, one line per domain. */
import type { Deps } from './deps.ts'
import { apiTokenOperations } from './domains/api-tokens/routes.ts'
import { auditOperations } from './domains/audit/routes.ts'
import { customerOperations } from './domains/customers/routes.ts'
import { deliveryOperations } from './domains/deliveries/routes.ts'
import { eventOperations } from './domains/events/routes.ts'
import { workspaceOperations } from './domains/organizations/routes.ts'
import { peopleOperations } from './domains/people/routes.ts'
import { requestLogOperations } from './domains/request-log/routes.ts'
import { webhookEndpointOperations } from './domains/webhook-endpoints/routes.ts'
import { webhookRecoveryOperations } from './domains/webhook-recoveries/routes.ts'
import { eventTypes } from './event-types.ts'
import type { Operation } from './platform/http/operation.ts'

export const operationsOf = (deps: Deps): readonly Operation[] => [
  ...workspaceOperations(deps),
  ...peopleOperations(deps),
  ...apiTokenOperations(deps),
  ...auditOperations(deps),
  ...requestLogOperations(deps),
  ...customerOperations(deps),
  ...eventOperations(deps, eventTypes),
  ...webhookEndpointOperations(deps, eventTypes),
  ...deliveryOperations(deps, eventTypes),
  ...webhookRecoveryOperations(deps, eventTypes),
]
