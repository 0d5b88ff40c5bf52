/** All API operations, one line per resource, in the order of the areas in resources.ts. */
import type { Deps } from './deps.ts'
import { apiTokenOperations } from './domains/access/api-tokens/routes.ts'
import { auditOperations } from './domains/access/audit/routes.ts'
import { invitationOperations } from './domains/access/invitations/routes.ts'
import { workspaceOperations } from './domains/access/organizations/routes.ts'
import { peopleOperations } from './domains/access/people/routes.ts'
import { requestLogOperations } from './domains/access/request-log/routes.ts'
import {
  cancellationRequestOperations,
  cancellationRequestPublicRoutes,
} from './domains/billing/cancellation-requests/routes.ts'
import { couponOperations } from './domains/billing/coupons/routes.ts'
import { creditNoteOperations } from './domains/billing/credit-notes/routes.ts'
import {
  customerPortalOperations,
  customerPortalPublicRoutes,
} from './domains/billing/customer-portal/routes.ts'
import { customerDiscountOperations } from './domains/billing/discounts/routes.ts'
import { dunningCampaignOperations } from './domains/billing/dunning-campaigns/routes.ts'
import { dunningPolicyOperations } from './domains/billing/dunning-policies/routes.ts'
import { hostedInvoicePublicRoutes } from './domains/billing/hosted-invoices/routes.ts'
import { invoiceOperations } from './domains/billing/invoices/routes.ts'
import { oneOffInvoiceOperations } from './domains/billing/invoices/routes-one-off.ts'
import { meterEventOperations, meterOperations } from './domains/billing/meters/routes.ts'
import { priceOperations, productOperations } from './domains/billing/products/routes.ts'
import { promotionCodeOperations } from './domains/billing/promotion-codes/routes.ts'
import { sellerOperations } from './domains/billing/seller/routes.ts'
import { subscriptionOperations } from './domains/billing/subscriptions/routes.ts'
import { taxProviderOperations } from './domains/billing/tax-provider/routes.ts'
import { taxRateOperations } from './domains/billing/tax-rates/routes.ts'
import { taxRuleOperations } from './domains/billing/tax-rules/routes.ts'
import { testClockOperations } from './domains/billing/test-clocks/routes.ts'
import { usageAlertOperations } from './domains/billing/usage-alerts/routes.ts'
import {
  exportDestinationOperations,
  exportOperations,
  exportPublicRoutes,
} from './domains/finance/exports/routes.ts'
import { ledgerOperations } from './domains/finance/ledger/routes.ts'
import { reportOperations } from './domains/finance/reports/routes.ts'
import { settledCostOperations } from './domains/finance/settled-costs/routes.ts'
import { settlementOperations } from './domains/finance/settlement/routes.ts'
import { cardTokenOperations } from './domains/payments/card-tokens/routes.ts'
import {
  checkoutSessionOperations,
  checkoutSessionPublicRoutes,
} from './domains/payments/checkout-sessions/routes.ts'
import { customerOperations } from './domains/payments/customers/routes.ts'
import { disputeOperations } from './domains/payments/disputes/routes.ts'
import { fileOperations } from './domains/payments/files/routes.ts'
import { mailEventRoutes, mailOperations } from './domains/payments/mails/routes.ts'
import { paymentLinkOperations, paymentLinkPublicRoutes } from './domains/payments/payment-links/routes.ts'
import { paymentMethodOperations } from './domains/payments/payment-methods/routes.ts'
import { payerReturnRoutes, paymentOperations } from './domains/payments/payments/routes.ts'
import { paymentRouteOperations } from './domains/routing/payment-routes/routes.ts'
import { providerAccountOperations } from './domains/routing/provider-accounts/routes.ts'
import { providerWebhookRoutes } from './domains/routing/provider-webhooks/routes.ts'
import { providerOperations } from './domains/routing/providers/routes.ts'
import { routeSimulationOperations } from './domains/routing/route-simulations/routes.ts'
import { deliveryOperations } from './domains/webhooks/deliveries/routes.ts'
import { eventOperations } from './domains/webhooks/events/routes.ts'
import { webhookEndpointOperations } from './domains/webhooks/webhook-endpoints/routes.ts'
import { webhookRecoveryOperations } from './domains/webhooks/webhook-recoveries/routes.ts'
import { attentionOperations } from './domains/workspace/attention/routes.ts'
import { searchOperations } from './domains/workspace/search/routes.ts'
import { systemOperations } from './domains/workspace/system/routes.ts'
import { eventTypes } from './event-types.ts'
import type { Operation } from './platform/http/operation.ts'
import type { PublicRoute } from './platform/http/public-routes.ts'

export const operationsOf = (deps: Deps): readonly Operation[] => [
  ...workspaceOperations(deps),
  ...peopleOperations(deps),
  ...invitationOperations(deps),
  ...apiTokenOperations(deps),
  ...auditOperations(deps),
  ...requestLogOperations(deps),
  ...customerOperations(deps),
  ...paymentMethodOperations(deps),
  ...cardTokenOperations(deps),
  ...paymentOperations(deps),
  ...disputeOperations(deps),
  ...fileOperations(deps),
  ...paymentLinkOperations(deps),
  ...checkoutSessionOperations(deps),
  ...mailOperations(deps),
  ...providerOperations(deps),
  ...providerAccountOperations(deps),
  ...settledCostOperations(deps),
  ...paymentRouteOperations(deps),
  ...routeSimulationOperations(deps),
  ...productOperations(deps),
  ...priceOperations(deps),
  ...couponOperations(deps),
  ...promotionCodeOperations(deps),
  ...customerDiscountOperations(deps),
  ...meterOperations(deps),
  ...meterEventOperations(deps),
  ...usageAlertOperations(deps),
  ...subscriptionOperations(deps),
  ...oneOffInvoiceOperations(deps),
  ...invoiceOperations(deps),
  ...creditNoteOperations(deps),
  ...sellerOperations(deps),
  ...taxProviderOperations(deps),
  ...taxRateOperations(deps),
  ...taxRuleOperations(deps),
  ...dunningCampaignOperations(deps),
  ...dunningPolicyOperations(deps),
  ...customerPortalOperations(deps),
  ...cancellationRequestOperations(deps),
  ...testClockOperations(deps, eventTypes),
  ...eventOperations(deps, eventTypes),
  ...webhookEndpointOperations(deps, eventTypes),
  ...deliveryOperations(deps, eventTypes),
  ...webhookRecoveryOperations(deps, eventTypes),
  ...ledgerOperations(deps),
  ...settlementOperations(deps),
  ...exportOperations(deps),
  ...exportDestinationOperations(deps),
  ...reportOperations(deps),
  ...searchOperations(deps),
  ...attentionOperations(deps),
  ...systemOperations(deps),
]

/** Routes without a token. They are not part of the OpenAPI document. */
export const publicRoutesOf = (deps: Deps): readonly PublicRoute[] => [
  ...providerWebhookRoutes(deps),
  ...mailEventRoutes(deps),
  ...payerReturnRoutes(deps),
  ...paymentLinkPublicRoutes(deps),
  ...checkoutSessionPublicRoutes(deps),
  ...hostedInvoicePublicRoutes(deps),
  ...customerPortalPublicRoutes(deps),
  ...cancellationRequestPublicRoutes(deps),
  ...exportPublicRoutes(deps),
]
