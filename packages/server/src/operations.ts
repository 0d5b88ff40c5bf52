/** Every operation of the API, one line per domain. */
import type { Deps } from './deps.ts'
import { apiTokenOperations } from './domains/api-tokens/routes.ts'
import { attentionOperations } from './domains/attention/routes.ts'
import { auditOperations } from './domains/audit/routes.ts'
import { cardTokenOperations } from './domains/card-tokens/routes.ts'
import { checkoutSessionDoors, checkoutSessionOperations } from './domains/checkout-sessions/routes.ts'
import { customerOperations } from './domains/customers/routes.ts'
import { deliveryOperations } from './domains/deliveries/routes.ts'
import { dunningCampaignOperations } from './domains/dunning-campaigns/routes.ts'
import { dunningPolicyOperations } from './domains/dunning-policies/routes.ts'
import { eventOperations } from './domains/events/routes.ts'
import { invitationOperations } from './domains/invitations/routes.ts'
import { invoiceOperations } from './domains/invoices/routes.ts'
import { workspaceOperations } from './domains/organizations/routes.ts'
import { paymentLinkDoors, paymentLinkOperations } from './domains/payment-links/routes.ts'
import { paymentMethodOperations } from './domains/payment-methods/routes.ts'
import { paymentRouteOperations } from './domains/payment-routes/routes.ts'
import { payerDoors, paymentOperations } from './domains/payments/routes.ts'
import { peopleOperations } from './domains/people/routes.ts'
import { priceOperations, productOperations } from './domains/products/routes.ts'
import { providerAccountOperations } from './domains/provider-accounts/routes.ts'
import { providerWebhookDoors } from './domains/provider-webhooks/routes.ts'
import { reportOperations } from './domains/reports/routes.ts'
import { requestLogOperations } from './domains/request-log/routes.ts'
import { routeSimulationOperations } from './domains/route-simulations/routes.ts'
import { searchOperations } from './domains/search/routes.ts'
import { subscriptionOperations } from './domains/subscriptions/routes.ts'
import { systemOperations } from './domains/system/routes.ts'
import { testClockOperations } from './domains/test-clocks/routes.ts'
import { webhookEndpointOperations } from './domains/webhook-endpoints/routes.ts'
import { webhookRecoveryOperations } from './domains/webhook-recoveries/routes.ts'
import { eventTypes } from './event-types.ts'
import type { Door } from './platform/http/doors.ts'
import type { Operation } from './platform/http/operation.ts'

export const operationsOf = (deps: Deps): readonly Operation[] => [
  ...workspaceOperations(deps),
  ...peopleOperations(deps),
  ...invitationOperations(deps),
  ...apiTokenOperations(deps),
  ...auditOperations(deps),
  ...requestLogOperations(deps),
  ...testClockOperations(deps, eventTypes),
  ...customerOperations(deps),
  ...providerAccountOperations(deps),
  ...paymentRouteOperations(deps),
  ...routeSimulationOperations(deps),
  ...cardTokenOperations(deps),
  ...paymentMethodOperations(deps),
  ...paymentOperations(deps),
  ...productOperations(deps),
  ...priceOperations(deps),
  ...invoiceOperations(deps),
  ...subscriptionOperations(deps),
  ...dunningPolicyOperations(deps),
  ...dunningCampaignOperations(deps),
  ...paymentLinkOperations(deps),
  ...checkoutSessionOperations(deps),
  ...eventOperations(deps, eventTypes),
  ...webhookEndpointOperations(deps, eventTypes),
  ...deliveryOperations(deps, eventTypes),
  ...webhookRecoveryOperations(deps, eventTypes),
  ...searchOperations(deps),
  ...attentionOperations(deps),
  ...reportOperations(deps),
  ...systemOperations(deps),
]

/** For those who have no token. They are no part of the document of the API. */
export const doorsOf = (deps: Deps): readonly Door[] => [
  ...providerWebhookDoors(deps),
  ...payerDoors(deps),
  ...paymentLinkDoors(deps),
  ...checkoutSessionDoors(deps),
]
